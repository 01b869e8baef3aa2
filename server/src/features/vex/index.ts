export { applyStatements } from './decisions/service.ts'
export { inventoryChanged } from './inventory-service.ts'
export { vexRoutes } from './routes.ts'
export { vexProblems } from './problems.ts'

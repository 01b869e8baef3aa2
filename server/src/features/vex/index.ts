export { applyStatements } from './applying-service.ts'
export { inventoryChanged } from './inventory-service.ts'
export { vexRoutes } from './routes.ts'

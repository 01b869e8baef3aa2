export { applyStatements } from './decisions/service.ts'
export { updateStatements } from './sbom-statements-service.ts'
export { vexRoutes } from './routes.ts'
export { vexProblems } from './problems.ts'

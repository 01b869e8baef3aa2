export { registerDdiRoutes } from './routes.ts'
export { ddiProblems } from './problems.ts'

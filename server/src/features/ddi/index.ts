export { ddiRoutes } from './routes.ts'
export { ddiProblems } from './problems.ts'

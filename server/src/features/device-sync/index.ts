export { deviceSyncRoutes } from './routes.ts'
export { deviceSyncProblems } from './problems.ts'

export { startWatching } from './delivery-service.ts'
export { watchProblems } from './problems.ts'
export { registerWatchRoutes } from './routes.ts'

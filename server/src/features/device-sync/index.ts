export { registerDeviceSyncRoutes } from './routes.ts'
export { deviceSyncProblems } from './problems.ts'

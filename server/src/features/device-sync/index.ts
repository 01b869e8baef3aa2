export { deviceSyncRoutes } from './routes.ts'

export { registerBulkDeviceRoutes } from './routes.ts'

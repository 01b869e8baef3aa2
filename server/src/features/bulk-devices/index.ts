export { bulkDeviceRoutes } from './routes.ts'

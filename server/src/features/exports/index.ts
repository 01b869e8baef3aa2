export { registerExportRoutes } from './routes.ts'

export { listExportRoutes } from './lists-routes.ts'
export { registerFindingExportRoutes } from './routes.ts'

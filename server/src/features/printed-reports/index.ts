export { registerPrintedReportRoutes } from './routes.ts'

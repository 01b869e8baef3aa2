export { overridePreviewRoutes } from './routes.ts'

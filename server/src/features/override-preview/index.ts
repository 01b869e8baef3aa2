export { registerOverridePreviewRoutes } from './routes.ts'

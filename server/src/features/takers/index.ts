export { registerTakerRoutes } from './routes.ts'

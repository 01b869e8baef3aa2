export { judgementRoutes } from './routes.ts'

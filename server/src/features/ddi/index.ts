export { ddiRoutes } from './routes.ts'

export { registerFailureRoutes } from './routes.ts'

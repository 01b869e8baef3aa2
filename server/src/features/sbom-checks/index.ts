export { registerSbomCheckRoutes } from './routes.ts'

export { sbomCheckRoutes } from './routes.ts'

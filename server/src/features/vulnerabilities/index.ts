export { vulnerabilityRoutes } from './routes.ts'

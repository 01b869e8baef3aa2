export { countFindings } from './counts-service.ts'
export { vulnerabilityRoutes } from './routes.ts'

export { countFindings } from './counts-service.ts'
export { findKnownVulnerability } from './detail/service.ts'
export { vulnerabilityRoutes } from './routes.ts'

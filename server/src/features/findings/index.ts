export { inventoryChanged } from './inventory-service.ts'
export { findingJobs } from './jobs.ts'
export { findingRoutes } from './routes.ts'
export { findingMessages } from './schemas.ts'

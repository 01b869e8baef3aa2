export { inventoryChanged } from './inventory.ts'
export { findingJobs } from './jobs.ts'
export { findingRoutes } from './routes.ts'
export { findingMessages } from './schemas.ts'

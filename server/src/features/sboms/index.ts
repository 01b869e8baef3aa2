export { sweepOrphanedFiles } from './sweep-service.ts'
export { sbomJobs } from './jobs.ts'
export { sbomContentRoute, sbomRoutes } from './routes.ts'
export { sbomMessages, SbomParsed } from './schemas.ts'

export { imageCheckJobs } from './jobs.ts'
export { registerImageCheckRoutes } from './routes.ts'
export { listUnmetDemands } from './demands-service.ts'
export { enqueueUnexamined } from './service.ts'

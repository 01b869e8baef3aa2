export { imageCheckJobs } from './jobs.ts'
export { registerImageCheckRoutes } from './routes.ts'
export { enqueueUnexamined } from './service.ts'

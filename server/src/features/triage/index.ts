export { carryOverDecisions, takeUpDecisions } from './carry-over/service.ts'
export { applyStandingDecisions } from './standing/service.ts'
export { triageJobs } from './jobs.ts'
export { triageRoutes } from './routes.ts'

export { storeReportedCrashes } from './intake/service.ts'
export { crashProblems } from './problems.ts'
export { registerCrashRoutes } from './routes.ts'

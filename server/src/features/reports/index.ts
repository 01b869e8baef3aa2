export { diffFindings, type HeldFinding, type Side } from './diff/diff.ts'
export { readSide } from './diff/store.ts'
export { reportRoutes } from './routes.ts'
export { maintainDailyCounters } from './trend/service.ts'

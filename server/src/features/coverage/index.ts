export { registerCoverageRoutes } from './routes.ts'
export { readCoverage, readNotJudged } from './service.ts'
export { Coverage as CoverageSchema, NotMatchedYet } from './schemas.ts'
export { countNotMatchedYet } from './store.ts'

export { coverageRoutes } from './routes.ts'
export { readNotJudged } from './service.ts'
export { NotMatchedYet } from './schemas.ts'
export { countNotMatchedYet } from './store.ts'

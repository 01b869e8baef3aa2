export { coverageRoutes } from './routes.ts'
export { readNotJudged } from './service.ts'

export { registerSbomGradeRoutes } from './routes.ts'

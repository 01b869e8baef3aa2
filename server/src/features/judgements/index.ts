export { registerJudgementRoutes } from './routes.ts'

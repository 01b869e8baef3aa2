/** What was reported to whoever makes a component, Article 13(6) of Regulation (EU) 2024/2847. Nothing is sent from here. */
export { upstreamReportProblems } from './problems.ts'
export { registerUpstreamReportRoutes } from './routes.ts'

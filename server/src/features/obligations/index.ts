/** What the law asks for, point by point: what Plimsoll does for it here, and what stays with people. */
export { obligationProblems } from './problems.ts'
export { registerObligationRoutes } from './routes.ts'

/** Assistants propose, people decide. */
export { decisionProposalProblems } from './problems.ts'
export { registerDecisionProposalRoutes } from './routes.ts'

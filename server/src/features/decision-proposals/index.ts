/** Assistants propose, people decide. */
export { proposalJobs } from './jobs.ts'
export { startProposalMails } from './mails-service.ts'
export { decisionProposalProblems } from './problems.ts'
export { registerDecisionProposalRoutes } from './routes.ts'
export { ProposalMail } from './schemas.ts'
export { reopenUndone } from './many-service.ts'
export { countOpenProposals } from './store.ts'

export { carryOverDecisions, takeUpDecisions } from './carry-over/service.ts'
export { handOverOfMember } from './acceptances/service.ts'
export { checkForFixes, endExploited, startAcceptanceSchedule } from './acceptances/ends-service.ts'
export { applyStandingDecisions } from './standing/service.ts'
export { AssessVulnerabilityFindingCommand } from './schemas.ts'
export {
  assessFinding,
  completeVerdict,
  describeActor,
  lockFinding,
  type Verdict,
} from './service.ts'
export { triageJobs } from './jobs.ts'
export type { DecisionsUndone } from './reactions.ts'
export { registerTriageRoutes } from './routes.ts'
export { ListAcceptancesCommand } from './acceptances/schemas.ts'
export { listAcceptances } from './acceptances/service.ts'

export { affectedRangesOf } from './affected-ranges.ts'
export { type ChangedMatch } from './changed-match.ts'
export { type Confidence, CONFIDENCES, type Evidence } from './evidence.ts'
export { evaluateIdentities, type EvaluatedIdentity } from './evaluation-service.ts'
export { matchingChecks } from './checks-service.ts'
export { evaluationFailures } from './failures.ts'
export { matchingHealth } from './health.ts'
export { matchingJobs } from './jobs.ts'
export { matchingMessages } from './schemas.ts'
export { type PackageJudgement, RECORD_VERDICTS } from './judgements.ts'
export {
  enqueueRuleUpgrade,
  judgePackage,
  listNames,
  matchChangedPackages,
  matchNewPackages,
} from './service.ts'

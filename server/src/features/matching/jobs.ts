import { on } from '../../platform/jobs/queue.ts'
import { KnowledgeChanged } from '../advisories/index.ts'
import { MatchRulesChanged } from './schemas.ts'
import { matchChangedPackages, rematchOutdatedPackages } from './service.ts'

export const matchingJobs = [
  on(KnowledgeChanged, matchChangedPackages),
  on(MatchRulesChanged, rematchOutdatedPackages),
]

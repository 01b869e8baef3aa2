import { subscribeTo } from '../../platform/jobs/queue.ts'
import { KnowledgeChanged } from '../advisories/index.ts'
import { MatchRulesChanged } from './schemas.ts'
import { matchChangedPackages, rematchOutdatedPackages } from './service.ts'

export const matchingJobs = [
  subscribeTo(KnowledgeChanged, matchChangedPackages),
  subscribeTo(MatchRulesChanged, rematchOutdatedPackages),
]

import type { AppContext } from '../../platform/context.ts'
import { on, type Subscription } from '../../platform/jobs/queue.ts'
import { KnowledgeChanged } from '../advisories/index.ts'
import { SbomParsed } from '../sboms/index.ts'
import {
  matchChangedPackages,
  matchNewPackages,
  matchParsedSbom,
  rematchOutdatedPackages,
} from './matching-service.ts'
import { MatchRulesChanged, SbomsRelinked } from './schemas.ts'

export function findingJobs(_ctx: AppContext): Subscription[] {
  return [
    on(SbomParsed, matchParsedSbom, { concurrency: 2 }),
    on(SbomsRelinked, matchNewPackages),
    on(KnowledgeChanged, matchChangedPackages),
    on(MatchRulesChanged, rematchOutdatedPackages),
  ]
}

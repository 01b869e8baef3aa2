import type { AppContext } from '../../platform/context.ts'
import { on, type Subscription } from '../../platform/jobs/queue.ts'
import { KnowledgeChanged } from '../advisories/index.ts'
import { SbomParsed } from '../sboms/index.ts'
import { matchChangedPackages, matchNewPackages, matchParsedSbom } from './matching-service.ts'
import { SbomsRelinked } from './schemas.ts'

export function findingJobs(_ctx: AppContext): Subscription[] {
  return [
    on(SbomParsed, matchParsedSbom, { concurrency: 2 }),
    on(SbomsRelinked, matchNewPackages),
    on(KnowledgeChanged, matchChangedPackages),
  ]
}

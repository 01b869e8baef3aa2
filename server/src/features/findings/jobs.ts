import { on, type Subscription } from '../../platform/jobs/queue.ts'
import { KnowledgeChanged } from '../advisories/index.ts'
import { SbomParsed, SourceFilesChanged } from '../sboms/index.ts'
import type { OnFindingsBegun } from './begun-service.ts'
import {
  matchChangedPackages,
  matchNewPackages,
  matchParsedSbom,
  rematchOutdatedPackages,
} from './matching-service.ts'
import { MatchRulesChanged, SbomsRelinked } from './schemas.ts'
import { recheckCompiled } from './source-files-service.ts'

export function findingJobs(onFindingsBegun: OnFindingsBegun): Subscription[] {
  const begun = { onFindingsBegun }
  return [
    on(SbomParsed, (ctx, sbom) => matchParsedSbom({ ...ctx, ...begun }, sbom), { concurrency: 2 }),
    on(SbomsRelinked, (ctx, version) => matchNewPackages({ ...ctx, ...begun }, version)),
    on(KnowledgeChanged, (ctx, change, signal) =>
      matchChangedPackages({ ...ctx, ...begun }, change, signal),
    ),
    on(SourceFilesChanged, recheckCompiled),
    on(MatchRulesChanged, (ctx, rules, signal) =>
      rematchOutdatedPackages({ ...ctx, ...begun }, rules, signal),
    ),
  ]
}

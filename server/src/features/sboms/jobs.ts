import type { AppContext } from '../../platform/context.ts'
import { on, type Subscription } from '../../platform/jobs/queue.ts'
import { FirmwareVersionsDeleted } from '../firmware/index.ts'
import { tellFailure } from './failures/service.ts'
import { giveUpParsing } from './parsing/failures-service.ts'
import { parseSbom, parseSmallSbom, relinkSboms } from './parsing/service.ts'
import { reidentifyOverridden, refreshOutdatedSboms } from './reidentification/service.ts'
import {
  PackageOverridesChanged,
  SbomLinksBroken,
  SbomsOutdated,
  SbomUploaded,
  SmallSbomUploaded,
} from './schemas.ts'
import { deleteSbomFiles } from './service.ts'

export function listSbomJobs({ config }: Pick<AppContext, 'config'>): Subscription<AppContext>[] {
  const parsing = {
    concurrency: config.sboms.parsers,
    onFailed: tellFailure,
    onExhausted: giveUpParsing,
  }
  return [
    on(SbomUploaded, parseSbom, parsing),
    on(SmallSbomUploaded, parseSmallSbom, parsing),
    on(SbomLinksBroken, relinkSboms),
    on(PackageOverridesChanged, (ctx, { workspaceId }, signal) =>
      reidentifyOverridden(ctx, { workspaceId, signal }),
    ),
    on(SbomsOutdated, (ctx, { workspaceId }, signal) =>
      refreshOutdatedSboms(ctx, { workspaceId, signal }),
    ),
    on(FirmwareVersionsDeleted, deleteSbomFiles),
  ]
}

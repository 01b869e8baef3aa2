import type { AppContext } from '../../platform/context.ts'
import { subscribeTo, type Subscription } from '../../platform/jobs/queue.ts'
import { FirmwareVersionsDeleted } from '../firmware/index.ts'
import { giveUpParsing, tellFailure } from './failures/service.ts'
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
    subscribeTo(SbomUploaded, parseSbom, parsing),
    subscribeTo(SmallSbomUploaded, parseSmallSbom, parsing),
    subscribeTo(SbomLinksBroken, relinkSboms),
    subscribeTo(PackageOverridesChanged, (ctx, { workspaceId }, signal) =>
      reidentifyOverridden(ctx, { workspaceId, signal }),
    ),
    subscribeTo(SbomsOutdated, (ctx, { workspaceId }, signal) =>
      refreshOutdatedSboms(ctx, { workspaceId, signal }),
    ),
    subscribeTo(FirmwareVersionsDeleted, deleteSbomFiles),
  ]
}

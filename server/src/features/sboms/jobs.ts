import type { AppContext } from '../../platform/context.ts'
import { on, type Subscription } from '../../platform/jobs/queue.ts'
import { FirmwareVersionsDeleted } from '../firmware/index.ts'
import { giveUpParsing, parseSbom, relinkSboms } from './parsing/service.ts'
import { reidentifyOverridden, refreshOutdatedSboms } from './reidentification/service.ts'
import { PackageOverridesChanged, SbomLinksBroken, SbomsOutdated, SbomUploaded } from './schemas.ts'
import { deleteSbomFiles } from './service.ts'

export function sbomJobs({ config }: Pick<AppContext, 'config'>): Subscription<AppContext>[] {
  return [
    on(SbomUploaded, parseSbom, {
      concurrency: config.sboms.parsers,
      onExhausted: giveUpParsing,
    }),
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

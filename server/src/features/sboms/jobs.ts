import type { AppContext } from '../../platform/context.ts'
import { on, type Subscription } from '../../platform/jobs/queue.ts'
import { FirmwareVersionsDeleted } from '../firmware/index.ts'
import { giveUpParsing, parseSbom, relinkSboms } from './parsing/service.ts'
import { reidentifyOverridden, refreshOutdatedSboms } from './reidentification/service.ts'
import { PackageOverridesChanged, SbomLinksBroken, SbomsOutdated, SbomUploaded } from './schemas.ts'
import { deleteSbomFiles, type OnInventoryChanged } from './service.ts'

export function sbomJobs(ctx: AppContext, onInventoryChanged: OnInventoryChanged): Subscription[] {
  return [
    on(SbomUploaded, (_ctx, sbom) => parseSbom(ctx, sbom, onInventoryChanged), {
      concurrency: ctx.config.sboms.parsers,
      onExhausted: giveUpParsing,
    }),
    on(SbomLinksBroken, (_ctx, version) => relinkSboms(ctx, version, onInventoryChanged)),
    on(PackageOverridesChanged, (_ctx, { workspaceId }, signal) =>
      reidentifyOverridden(ctx, { workspaceId, onInventoryChanged, signal }),
    ),
    on(SbomsOutdated, (_ctx, { workspaceId }, signal) =>
      refreshOutdatedSboms(ctx, { workspaceId, onInventoryChanged, signal }),
    ),
    on(FirmwareVersionsDeleted, deleteSbomFiles),
  ]
}

import type { AppContext } from '../../platform/context.ts'
import { on, type Subscription } from '../../platform/jobs/queue.ts'
import { FirmwareVersionsDeleted } from '../firmware/index.ts'
import { giveUpParsing, parseSbom, relinkSboms } from './parsing/service.ts'
import { identifyOverridden, redoOutdated } from './reidentification/service.ts'
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
      identifyOverridden(ctx, { workspaceId, onInventoryChanged, signal }),
    ),
    on(SbomsOutdated, (_ctx, { workspaceId }, signal) =>
      redoOutdated(ctx, { workspaceId, onInventoryChanged, signal }),
    ),
    on(FirmwareVersionsDeleted, deleteSbomFiles),
  ]
}

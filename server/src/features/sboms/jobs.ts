import type { AppContext } from '../../platform/context.ts'
import { on, type Subscription } from '../../platform/jobs/queue.ts'
import { FirmwareVersionsDeleted } from '../firmware/index.ts'
import { deleteSbomFiles } from './sweep-service.ts'
import { giveUpParsing, parseSbom, relinkSboms } from './parsing-service.ts'
import { SbomLinksBroken, SbomUploaded } from './schemas.ts'
import type { OnInventoryChanged } from './service.ts'

export function sbomJobs(ctx: AppContext, onInventoryChanged: OnInventoryChanged): Subscription[] {
  return [
    on(SbomUploaded, (_ctx, sbom) => parseSbom(ctx, sbom, onInventoryChanged), {
      concurrency: ctx.config.sboms.parsers,
      onExhausted: giveUpParsing,
    }),
    on(SbomLinksBroken, (_ctx, version) => relinkSboms(ctx, version, onInventoryChanged)),
    on(FirmwareVersionsDeleted, deleteSbomFiles),
  ]
}

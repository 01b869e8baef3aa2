/** Reads what the report of a firmware version says. */
import type { AppContext } from '../../../platform/context.ts'
import { readCoverage } from '../../coverage/index.ts'
import { getFirmwareVersion, readAffectedDevices, readMark } from '../../firmware/index.ts'
import { assessGate } from '../../release-gate/index.ts'
import { listSboms } from '../../sboms/index.ts'
import {
  type ReportRequest,
  readAtOnce,
  readDevices,
  readImprint,
  readSourceAges,
} from '../imprint-service.ts'
import { type VersionReport, renderVersionReport } from './page.ts'
import * as store from './store.ts'

/** The worst of each table. CSV has all. */
const MOST_FINDINGS = 1000

export function printVersionReport(
  ctx: AppContext,
  input: ReportRequest & { firmwareVersionId: string },
): Promise<string> {
  return readAtOnce(ctx, async (at) => renderVersionReport(await readVersionReport(at, input)))
}

async function readVersionReport(
  ctx: AppContext,
  input: ReportRequest & { firmwareVersionId: string },
): Promise<VersionReport> {
  const { db } = ctx
  const { workspaceId } = input
  const version = await getFirmwareVersion(db, workspaceId, input.firmwareVersionId)
  const asked = { workspaceId, firmwareVersionId: version.id }
  const { affectedDeviceCount, affectedDevices } = await readAffectedDevices(db, asked, ctx.now())
  const firmwareVersionIds = [version.id]
  const running = { firmwareVersionIds, total: affectedDeviceCount }
  const limit = MOST_FINDINGS
  return {
    workspaceId,
    version,
    imprint: await readImprint(ctx, input),
    mark: await readMark(ctx, workspaceId, version.id),
    gate: await assessGate(ctx, { workspaceId, firmwareVersionIds }),
    coverage: await readCoverage(ctx, asked),
    sboms: await listSboms(ctx, workspaceId, version.id),
    sources: await readSourceAges(ctx),
    counts: await store.countFindings(db, asked),
    activeFindings: await store.listFindings(db, asked, { isActive: true, limit }),
    otherFindings: await store.listFindings(db, asked, { isActive: false, limit }),
    devices: await readDevices(ctx, input, running),
    seen: affectedDevices,
  }
}

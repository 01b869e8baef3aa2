/** Lists and counts the findings of a firmware version. */
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import { decodeCursor, encodeCursor } from '../../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../../platform/http/schemas.ts'
import { getFirmwareVersion, readAffectedDevices } from '../../firmware/index.ts'
import { readAsOf } from '../as-of-store.ts'
import type { SortColumn } from '../assessment.ts'
import type { FindingFilter } from './filter-store.ts'
import { encodeFindingId } from '../finding-id.ts'
import * as list from './store.ts'
import { readCounters, type SeverityCount } from '../counters-store.ts'

export interface ListFindings {
  workspaceId: string
  firmwareVersionId: string
  sortColumn?: SortColumn
  ascending?: boolean
  limit?: number
  cursor?: string
  filter?: FindingFilter
  /** undefined: now. */
  asOf?: string
}

export async function listFindings(ctx: AppContext, input: ListFindings) {
  const { workspaceId, sortColumn = 'Severity', ascending = false, limit = DEFAULT_LIMIT } = input
  const { cursor, filter = {}, asOf } = input
  const past = asOf === undefined ? undefined : readAsOf(asOf, ctx.now(), '/asOf')
  const { id: firmwareVersionId } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const scope = ['findings', workspaceId, firmwareVersionId, sortColumn, ascending, filter, past]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const at = past ?? (position ? new Date(position.asOf) : ctx.now())
  const rows = await list.listFindings(ctx.db, {
    workspaceId,
    firmwareVersionId,
    filter,
    sortColumn,
    ascending,
    limit: limit + 1,
    moment: { at, isPast: past !== undefined },
    after: position?.after,
  })
  const page = rows.slice(0, limit)
  // Devices are counted as they are now, also for a past instant.
  const version = { workspaceId, firmwareVersionId }
  const { affectedDeviceCount } = await readAffectedDevices(ctx.db, version, ctx.now())
  const findings = page.map((row) => ({
    ...findingListItem(firmwareVersionId, row),
    affectedDeviceCount,
  }))
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { findings, hasMore: false }
  const payload = { after: last.sortValues, asOf: at.getTime() }
  return { findings, nextCursor: encodeCursor(ctx.signingKey, scope, payload), hasMore: true }
}

function findingListItem(firmwareVersionId: string, row: list.FindingRow) {
  const { packageId, vulnerabilityId, isKnownExploit, sortValues: _, ...shown } = row
  return {
    id: encodeFindingId({ firmwareVersionId, packageId, vulnerabilityId }),
    cveId: vulnerabilityId,
    isKnownCisaExploit: isKnownExploit,
    ...shown,
  }
}

export async function summariseFindings(
  ctx: AppContext,
  input: { workspaceId: string; firmwareVersionId: string; asOf?: string },
) {
  const { workspaceId, asOf } = input
  const past = asOf === undefined ? undefined : readAsOf(asOf, ctx.now(), '/query/asOf')
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: id }
  const countsBySeverity = past
    ? inOrder(await list.countActiveFindings(ctx.db, version, { at: past, isPast: true }))
    : await readCounters(ctx.db, version)
  const totalActiveIssues = countsBySeverity.reduce((total, { count }) => total + count, 0)
  const affected = await readAffectedDevices(ctx.db, version, ctx.now())
  return { totalActiveIssues, countsBySeverity, ...affected }
}

/** All six severities, worst first. */
function inOrder(counts: readonly SeverityCount[]): SeverityCount[] {
  const known = new Map(counts.map(({ severity, count }) => [severity, count]))
  return SEVERITIES.map((severity) => ({ severity, count: known.get(severity) ?? 0 }))
}

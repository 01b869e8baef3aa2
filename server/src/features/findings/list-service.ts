/** Findings of one firmware version, page by page and by number. */
import type { AppContext } from '../../platform/context.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import type { SortColumn } from './assessment.ts'
import { encodeFindingId } from './finding-id.ts'
import * as list from './list-store.ts'
import { readCounters } from './vulnerable-versions-store.ts'

export interface ListFindings {
  workspaceId: string
  firmwareVersionId: string
  sortColumn?: SortColumn
  ascending?: boolean
  limit?: number
  cursor?: string
  filter?: list.FindingFilter
}

export async function listFindings(ctx: AppContext, input: ListFindings) {
  const { workspaceId, sortColumn = 'Severity', ascending = false, limit = DEFAULT_LIMIT } = input
  const { cursor, filter = {} } = input
  const { id: firmwareVersionId } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const scope = ['findings', workspaceId, firmwareVersionId, sortColumn, ascending, filter]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const asOf = position?.asOf ?? ctx.now().getTime()
  const rows = await list.listFindings(ctx.db, {
    workspaceId,
    firmwareVersionId,
    filter,
    sortColumn,
    ascending,
    limit: limit + 1,
    asOf: new Date(asOf),
    after: position?.after,
  })
  const page = rows.slice(0, limit)
  const findings = page.map((row) => findingListItem(firmwareVersionId, row))
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { findings, hasMore: false }
  const nextCursor = encodeCursor(ctx.signingKey, scope, { after: last.sortValues, asOf })
  return { findings, nextCursor, hasMore: true }
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
  input: { workspaceId: string; firmwareVersionId: string },
) {
  const { workspaceId } = input
  const { id: firmwareVersionId } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const countsBySeverity = await readCounters(ctx.db, { workspaceId, firmwareVersionId })
  const totalActiveIssues = countsBySeverity.reduce((total, { count }) => total + count, 0)
  return { totalActiveIssues, countsBySeverity }
}

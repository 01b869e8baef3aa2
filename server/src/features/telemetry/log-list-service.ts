import { DAY_MS, parseOptionalInstant } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { openPage, type Page } from '../../platform/http/paging.ts'
import { NIL } from 'uuid'
import * as store from './log-list-store.ts'
import { readInTime } from './read-in-time-service.ts'

export interface ListDeviceLogs {
  workspaceId: string
  limit?: number
  cursor?: string
  filter?: Pick<store.LogQuery, 'deviceIds' | 'severities' | 'message' | 'labels'> & {
    from?: string
    to?: string
  }
}

export async function listDeviceLogs(ctx: AppContext, input: ListDeviceLogs) {
  const { workspaceId, filter = {} } = input
  const page = openPage(ctx, ['device-logs', workspaceId, filter], input)
  const query = {
    ...filter,
    // Named twice, a device would have each of its lines twice.
    deviceIds: filter.deviceIds && [...new Set(filter.deviceIds)],
    workspaceId,
    from: parseOptionalInstant(filter.from, '/filter/from'),
    to: parseOptionalInstant(filter.to, '/filter/to'),
    after: positionOf(page),
  }
  const floor = await floorOf(ctx, query)
  const look = { ...query, from: floor ?? query.from }
  const { reached, rows } = await readInTime(ctx, async (tx) => {
    const horizon = await store.findHorizon(tx, look)
    return {
      reached: horizon,
      rows: await store.listLines(tx, look, { horizon, limit: page.rowLimit }),
    }
  })
  const lines = rows.slice(0, page.limit).map((row) => ({
    ...row,
    time: row.time.toISOString(),
    deviceTime: row.deviceTime?.toISOString() ?? null,
  }))
  // Beyond the horizon nobody has looked yet.
  const horizon = reached ?? (floor && { time: floor, id: NIL })
  const last = rows.length > page.limit ? rows[page.limit - 1] : horizon
  if (!last) return { lines, hasMore: false }
  return { lines, ...page.continueAfter([last.time.toISOString(), last.id]) }
}

/** Each day is a table, and a statement can hold only so many. */
const MOST_DAYS = 100

/** How far back one look goes, where that is not all the way. */
async function floorOf(
  ctx: AppContext,
  { workspaceId, from, to, after }: store.LogQuery,
): Promise<Date | undefined> {
  const now = ctx.now().getTime()
  // Times may be an hour ahead, and lines are kept up to a day longer.
  const newest = Math.min(
    now + DAY_MS,
    to?.getTime() ?? Infinity,
    after?.time.getTime() ?? Infinity,
  )
  const retention = await store.findLogRetentionDays(ctx.db, workspaceId)
  const oldest = Math.max(now - (retention + 2) * DAY_MS, from?.getTime() ?? -Infinity)
  const floor = newest - MOST_DAYS * DAY_MS
  return floor > oldest ? new Date(floor) : undefined
}

function positionOf({ after }: Page): store.LogPosition | undefined {
  if (!after) return undefined
  const [time, id] = after
  return { time: new Date(String(time)), id: String(id) }
}

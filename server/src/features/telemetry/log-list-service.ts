import type { AppContext } from '../../platform/context.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import * as store from './log-list-store.ts'
import { readTime } from './window.ts'

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
  const { workspaceId, limit = DEFAULT_LIMIT, cursor, filter = {} } = input
  const scope = ['device-logs', workspaceId, filter]
  const query = {
    ...filter,
    // Named twice, a device would have each of its lines twice.
    deviceIds: filter.deviceIds && [...new Set(filter.deviceIds)],
    workspaceId,
    from: timeOf('from', filter.from),
    to: timeOf('to', filter.to),
    after: cursor === undefined ? undefined : positionOf(ctx.signingKey, scope, cursor),
  }
  const horizon = await store.findHorizon(ctx.db, query)
  const rows = await store.listLines(ctx.db, query, { horizon, limit: limit + 1 })
  const lines = rows.slice(0, limit).map((row) => ({
    ...row,
    time: row.time.toISOString(),
    deviceTime: row.deviceTime?.toISOString() ?? null,
  }))
  // Beyond the horizon nobody has looked yet.
  const last = rows.length > limit ? rows[limit - 1] : horizon
  if (!last) return { lines, hasMore: false }
  const position = { after: [last.time.toISOString(), last.id], asOf: ctx.now().getTime() }
  return { lines, hasMore: true, nextCursor: encodeCursor(ctx.signingKey, scope, position) }
}

function timeOf(name: string, text: string | undefined): Date | undefined {
  return text === undefined ? undefined : readTime(`filter/${name}`, text)
}

function positionOf(key: Buffer, scope: unknown, cursor: string): store.LogPosition {
  const [time, id] = decodeCursor(key, scope, cursor).after
  return { time: new Date(String(time)), id: String(id) }
}

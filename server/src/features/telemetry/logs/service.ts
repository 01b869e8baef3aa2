/** Log lines as people search them. */
import { NIL } from 'uuid'
import { addDays, DAY_MS, parseOptionalInstant } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { openPage, type Page } from '../../../platform/http/paging.ts'
import { readWithTimeout, type TelemetryReader } from '../query-timeout-service.ts'
import { planSearch } from './stretches-service.ts'
import * as store from './store.ts'

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
    // A device that is named twice must not give each line twice.
    deviceIds: filter.deviceIds && [...new Set(filter.deviceIds)],
    workspaceId,
    from: parseOptionalInstant(filter.from, '/filter/from'),
    to: parseOptionalInstant(filter.to, '/filter/to'),
    after: readPosition(page),
  }
  const floor = await findFloor(ctx, query)
  const bounded = { ...query, from: floor ?? query.from }
  const { horizon, rows } = await readWithTimeout(ctx, async (tx) => {
    if (bounded.message && !bounded.deviceIds) return searchLines(tx, bounded, page.rowLimit)
    const last = await store.findHorizon(tx, bounded)
    const lines = await store.listLines(tx, bounded, { horizon: last, limit: page.rowLimit })
    return { horizon: last, rows: lines }
  })
  const lines = rows.slice(0, page.limit).map((row) => ({
    ...row,
    time: row.time.toISOString(),
    deviceTime: row.deviceTime?.toISOString() ?? null,
  }))
  // Lines beyond the horizon are not examined yet, so the next page begins there.
  const end = horizon ?? (floor && { time: floor, id: NIL })
  const last = rows.length > page.limit ? rows[page.limit - 1] : end
  if (!last) return { lines, hasMore: false }
  return { lines, ...page.continueAfter([last.time.toISOString(), last.id]) }
}

/** Some hundred thousand lines, and then some ten million: a frequent text is found in the first of them. */
const STRETCHES_AT_ONCE = [50, 2_500]

/** Skips lines that cannot have the text, and examines as many of the others as any page does. */
async function searchLines(tx: Tx, query: store.LogQuery, limit: number) {
  const rows: store.LogLineRow[] = []
  let left = store.MOST_EXAMINED
  let after = query.after
  for (const stretches of STRETCHES_AT_ONCE) {
    const { ranges, end } = await planSearch(tx, { ...query, after }, stretches)
    for (const { before, since } of ranges) {
      const part = { ...query, after: before }
      const last = await store.findLastLine(tx, part, { since, most: left })
      if (!last) continue
      const page = { horizon: last, limit: limit - rows.length }
      for (const each of await store.listLines(tx, part, page)) rows.push(each)
      left -= last.count
      if (rows.length >= limit || left <= 0) return { rows, horizon: last }
    }
    if (!end) return { rows, horizon: undefined }
    after = end
  }
  return { rows, horizon: after }
}

/** Each day is a partition, and PostgreSQL plans a statement over all of them. */
const MOST_DAYS = 100

/** The oldest instant that this page examines; undefined: it examines all lines that are kept. */
async function findFloor(
  ctx: AppContext,
  { workspaceId, from, to, after }: store.LogQuery,
): Promise<Date | undefined> {
  const now = ctx.now().getTime()
  // The clock of a device may be an hour ahead, and lines are kept for up to a day longer than the retention.
  const newest = Math.min(
    now + DAY_MS,
    to?.getTime() ?? Infinity,
    after?.time.getTime() ?? Infinity,
  )
  const retention = await store.findLogRetentionDays(ctx.db, workspaceId)
  const oldest = Math.max(now - (retention + 2) * DAY_MS, from?.getTime() ?? -Infinity)
  const floor = addDays(new Date(newest), -MOST_DAYS)
  return floor.getTime() > oldest ? floor : undefined
}

function readPosition({ after }: Page): store.LogPosition | undefined {
  if (!after) return undefined
  const [time, id] = after
  return { time: new Date(String(time)), id: String(id) }
}

/** How many lines of severity Error and Critical the devices sent, in windows; and which of them send lines at all. */
export async function countErrorLines(
  ctx: TelemetryReader,
  query: store.ErrorCountQuery,
): Promise<{ counts: store.ErrorCount[]; loggingIds: string[] }> {
  return readWithTimeout(ctx, async (tx) => ({
    counts: await store.listErrorCounts(tx, query),
    loggingIds: await store.listLoggingDevices(tx, query),
  }))
}

/** Log lines, newest first. A page examines a limited number of lines, however few of them match its filter. */
import { type RawBuilder, sql } from 'kysely'
import type { LogSeverity } from '../../../formats/device-messages/model.ts'
import type { Db } from '../../../platform/db/connect.ts'

export interface LogPosition {
  time: Date
  id: string
}

export interface LogQuery {
  workspaceId: string
  deviceIds?: readonly string[] | undefined
  severities?: readonly string[] | undefined
  message?: readonly { contains: string }[] | undefined
  labels?: Readonly<Record<string, string>> | undefined
  from: Date | undefined
  to: Date | undefined
  /** The last line of the page before. */
  after: LogPosition | undefined
}

export interface LogLineRow extends LogPosition {
  deviceId: string
  deviceTime: Date | null
  severity: LogSeverity
  message: string
  labels: Record<string, string>
  runId: string | null
}

export const MOST_EXAMINED = 50_000
/** The fewest lines that are examined of each device, where the query names devices. */
const LEAST_EXAMINED_OF_A_DEVICE = 50

interface LineSelection {
  columns: RawBuilder<unknown>
  /** The oldest line that is selected. */
  since: LogPosition | undefined
  tail: RawBuilder<unknown>
}

/** Reads in the order of an index: that of the workspace, or that of each named device. */
function lines(query: LogQuery, { columns, since, tail }: LineSelection): RawBuilder<unknown> {
  const { workspaceId, deviceIds, from, to, after } = query
  const newest = sql`
    select ${columns} from device_logs as line
    where line.workspace_id = ${workspaceId}
      ${deviceIds ? sql`and line.device_id = asked.id` : sql``}
      ${from ? sql`and line.time >= ${from}` : sql``} ${to ? sql`and line.time < ${to}` : sql``}
      ${after ? sql`and line.time <= ${after.time} and (line.time, line.id) < (${after.time}, ${after.id}::uuid)` : sql``}
      ${since ? sql`and line.time >= ${since.time} and (line.time, line.id) >= (${since.time}, ${since.id}::uuid)` : sql``}
    order by line.time desc, line.id desc ${tail}`
  return deviceIds
    ? sql`unnest(${deviceIds}::text[]) as asked (id) cross join lateral (${newest}) as line`
    : sql`(${newest}) as line`
}

function linesExamined({ deviceIds }: LogQuery): number {
  return deviceIds
    ? Math.max(LEAST_EXAMINED_OF_A_DEVICE, Math.ceil(MOST_EXAMINED / Math.max(1, deviceIds.length)))
    : MOST_EXAMINED
}

/** The oldest line that one page examines; undefined: it examines all lines. */
export async function findHorizon(db: Db, query: LogQuery): Promise<LogPosition | undefined> {
  const last = {
    columns: sql`line.time, line.id`,
    since: undefined,
    tail: sql`offset ${linesExamined(query) - 1} limit 1`,
  }
  const { rows } = await sql<LogPosition>`
    select line.time, line.id from ${lines(query, last)} order by line.time desc, line.id desc limit 1`.execute(
    db,
  )
  return rows[0]
}

/** The oldest of the newest `most` lines, and how many there are up to it; undefined: there are none. */
export async function findLastLine(
  db: Db,
  query: LogQuery,
  { since, most }: { since: LogPosition | undefined; most: number },
): Promise<(LogPosition & { count: number }) | undefined> {
  const newest = { columns: sql`line.time, line.id`, since, tail: sql`limit ${most}` }
  const { rows } = await sql<LogPosition & { count: number }>`
    select time, id, place::int as count
    from (select time, id, row_number() over (order by time desc, id desc) as place from ${lines(query, newest)}) as placed
    order by place desc limit 1`.execute(db)
  return rows[0]
}

export async function findLogRetentionDays(db: Db, workspaceId: string): Promise<number> {
  const { logRetentionDays } = await db
    .selectFrom('workspaces')
    .select('logRetentionDays')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return logRetentionDays
}

/** Leaves out lines of devices that were deleted, also where another one has the id now. */
export async function listLines(
  db: Db,
  query: LogQuery,
  page: { horizon: LogPosition | undefined; limit: number },
): Promise<LogLineRow[]> {
  const { severities, message, labels } = query
  const all = {
    columns: sql`line.*`,
    since: page.horizon,
    tail: sql`limit ${linesExamined(query)}`,
  }
  const { rows } = await sql<LogLineRow>`
    select line.id, line.device_id, line.time, line.device_time, line.severity, line.message, line.labels, line.run_id
    from ${lines(query, all)}
    where exists (select from devices where workspace_id = ${query.workspaceId} and devices.id = line.device_id)
      and not exists (select from deleted_devices as gone where gone.workspace_id = ${query.workspaceId}
        and gone.device_id = line.device_id and line.id < gone.first_later_line)
      ${severities ? sql`and line.severity = any(${severities}::text[])` : sql``}
      ${labels ? sql`and line.labels @> ${JSON.stringify(labels)}::jsonb` : sql``}
      ${message ? sql`and ${containsAny(message)}` : sql``}
    order by line.time desc, line.id desc limit ${page.limit}`.execute(db)
  return rows
}

function containsAny(parts: readonly { contains: string }[]): RawBuilder<unknown> {
  if (parts.length === 0) return sql`false`
  const each = parts.map(({ contains }) => sql`strpos(lower(line.message), lower(${contains})) > 0`)
  return sql`(${sql.join(each, sql` or `)})`
}

export interface ErrorCountQuery {
  workspaceId: string
  deviceIds: readonly string[]
  from: Date
  to: Date
  stepSeconds: number
}

export interface ErrorCount {
  deviceId: string
  /** The begin of the window. */
  time: Date
  count: number
}

/** Lines of severity Error and Critical by device and window; those without such lines are left out. */
export async function listErrorCounts(db: Db, query: ErrorCountQuery): Promise<ErrorCount[]> {
  const { workspaceId, deviceIds, from, to, stepSeconds } = query
  const { rows } = await sql<ErrorCount>`
    select asked.id as device_id, line.time, line.count
    from unnest(${deviceIds}::text[]) as asked (id) cross join lateral (
      select date_bin(make_interval(secs => ${stepSeconds}), each.time, ${from}::timestamptz) as time,
        count(*)::int as count
      from device_logs as each
      where each.workspace_id = ${workspaceId} and each.device_id = asked.id and each.time >= ${from}
        and each.time < ${to} and each.severity in ('Error', 'Critical')
      group by 1) as line`.execute(db)
  return rows
}

/** Of these devices those that have ever sent a line, as far as lines are kept. */
export async function listLoggingDevices(
  db: Db,
  { workspaceId, deviceIds }: Pick<ErrorCountQuery, 'workspaceId' | 'deviceIds'>,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select asked.id from unnest(${deviceIds}::text[]) as asked (id)
    where exists (select from device_logs as line
      where line.workspace_id = ${workspaceId} and line.device_id = asked.id)`.execute(db)
  return rows.map(({ id }) => id)
}

/** Log lines, newest first. A page looks at so many lines and no more, however few of them are asked for. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

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
  /** The last of the page before. */
  after: LogPosition | undefined
}

export interface LogLineRow extends LogPosition {
  deviceId: string
  deviceTime: Date | null
  severity: string
  message: string
  labels: Record<string, string>
  runId: string | null
}

const LOOKED_AT = 50_000
const LOOKED_AT_OF_A_DEVICE = 50

interface Piece {
  columns: RawBuilder<unknown>
  /** Not older than this. */
  since: LogPosition | undefined
  tail: RawBuilder<unknown>
}

/** In the order of an index: of all devices together, or of each on its own. */
function lines(query: LogQuery, { columns, since, tail }: Piece): RawBuilder<unknown> {
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

function lookedAt({ deviceIds }: LogQuery): number {
  return deviceIds
    ? Math.max(LOOKED_AT_OF_A_DEVICE, Math.ceil(LOOKED_AT / Math.max(1, deviceIds.length)))
    : LOOKED_AT
}

/** The last line one look reaches; undefined: it reaches all there are. */
export async function findHorizon(db: Db, query: LogQuery): Promise<LogPosition | undefined> {
  const last = {
    columns: sql`line.time, line.id`,
    since: undefined,
    tail: sql`offset ${lookedAt(query) - 1} limit 1`,
  }
  const { rows } = await sql<LogPosition>`
    select line.time, line.id from ${lines(query, last)} order by line.time desc, line.id desc limit 1`.execute(
    db,
  )
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

/** Lines of devices that were deleted are no longer shown. */
export async function listLines(
  db: Db,
  query: LogQuery,
  page: { horizon: LogPosition | undefined; limit: number },
): Promise<LogLineRow[]> {
  const { severities, message, labels } = query
  const all = { columns: sql`line.*`, since: page.horizon, tail: sql`limit ${lookedAt(query)}` }
  const { rows } = await sql<LogLineRow>`
    select line.id, line.device_id, line.time, line.device_time, line.severity, line.message, line.labels, line.run_id
    from ${lines(query, all)}
    where exists (select from devices where workspace_id = ${query.workspaceId} and devices.id = line.device_id)
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

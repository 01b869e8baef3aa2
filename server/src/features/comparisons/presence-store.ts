/** When devices began new runs, crashed, and were connected. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { BinSpan } from './windows.ts'

interface PresenceQuery {
  workspaceId: string
  deviceIds: readonly string[]
  span: BinSpan
}

export interface KnownDevice {
  deviceId: string
  /** Presence is known from then on. */
  knownSince: Date
  hasRuns: boolean
  connected: boolean
  hasConnections: boolean
}

/** Changes of presence are kept since the first one of any device of the workspace. null: nothing is known of any. */
export async function findRecordedSince(db: Db, workspaceId: string): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`
    select min(at) as since from device_presence_changes where workspace_id = ${workspaceId}`.execute(
    db,
  )
  return rows[0]?.since ?? null
}

export interface RecordedQuery extends PresenceQuery {
  /** When the first change of any device was recorded. */
  since: Date
}

export async function listKnownDevices(
  db: Db,
  { workspaceId, deviceIds, since }: RecordedQuery,
): Promise<KnownDevice[]> {
  const { rows } = await sql<KnownDevice>`
    select id as device_id, greatest(first_seen_at, ${since}::timestamptz) as known_since,
      cardinality(run_ids) > 0 as has_runs, connected, door = 'Mqtt' as has_connections
    from devices
    where workspace_id = ${workspaceId} and id = any(${deviceIds}::text[]) and first_seen_at is not null`.execute(
    db,
  )
  return rows
}

export interface EventCount {
  deviceId: string
  time: Date
  count: number
}

export async function listStartCounts(
  db: Db,
  { workspaceId, deviceIds, span: { from, to, stepSeconds } }: PresenceQuery,
): Promise<EventCount[]> {
  const { rows } = await sql<EventCount>`
    select device_id, date_bin(make_interval(secs => ${stepSeconds}), at, ${from}::timestamptz) as time, count(*)::int as count
    from device_presence_changes
    where workspace_id = ${workspaceId} and device_id = any(${deviceIds}::text[]) and kind = 'Started'
      and at >= ${from} and at < ${to}
    group by 1, 2`.execute(db)
  return rows
}

export interface ConnectionChange {
  deviceId: string
  at: Date
  connected: boolean
}

/** The changes in the span, and the last one before it, by time. */
export async function listConnectionChanges(
  db: Db,
  { workspaceId, deviceIds, span: { from, to } }: PresenceQuery,
): Promise<ConnectionChange[]> {
  const { rows } = await sql<ConnectionChange>`
    select asked.id as device_id, change.at, change.kind = 'Connected' as connected
    from unnest(${deviceIds}::text[]) as asked (id) cross join lateral (
      (select id, at, kind from device_presence_changes as earlier
        where earlier.workspace_id = ${workspaceId} and earlier.device_id = asked.id and earlier.at < ${from}
          and earlier.kind <> 'Started'
        order by earlier.at desc, earlier.id desc limit 1)
      union all
      (select id, at, kind from device_presence_changes as later
        where later.workspace_id = ${workspaceId} and later.device_id = asked.id and later.at >= ${from}
          and later.at < ${to} and later.kind <> 'Started')
    ) as change
    order by 1, change.at, change.id`.execute(db)
  return rows
}

export interface CrashReporter {
  deviceId: string
  /** It reports crashes since then. */
  since: Date
}

export async function listCrashReporters(
  db: Db,
  { workspaceId, deviceIds, span }: PresenceQuery,
): Promise<CrashReporter[]> {
  const { rows } = await sql<CrashReporter>`
    select device_id, reports_since as since from crash_devices
    where workspace_id = ${workspaceId} and device_id = any(${deviceIds}::text[]) and reports_since < ${span.to}`.execute(
    db,
  )
  return rows
}

const HOUR_SECONDS = 3_600

/** By hours of receipt all that devices sent; in shorter bins those that were kept. */
export async function listCrashCounts(
  db: Db,
  { workspaceId, deviceIds, span: { from, to, stepSeconds } }: PresenceQuery,
): Promise<EventCount[]> {
  const bin = (time: 'hour' | 'time') =>
    sql`date_bin(make_interval(secs => ${stepSeconds}), ${sql.ref(time)}, ${from}::timestamptz)`
  const isHourly = stepSeconds % HOUR_SECONDS === 0
  const { rows } = isHourly
    ? await sql<EventCount>`
        select device_id, ${bin('hour')} as time, sum(kept_count + dropped_count)::int as count
        from crash_device_hours
        where workspace_id = ${workspaceId} and device_id = any(${deviceIds}::text[]) and hour >= ${from} and hour < ${to}
        group by 1, 2`.execute(db)
    : await sql<EventCount>`
        select device_id, ${bin('time')} as time, count(*)::int as count
        from crash_reports
        where workspace_id = ${workspaceId} and device_id = any(${deviceIds}::text[]) and time >= ${from} and time < ${to}
        group by 1, 2`.execute(db)
  return rows
}

/** The numbers of active findings of firmware versions by day. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

/** The last counters of a day count for it. Unchanged counters are not written again. */
export async function writeDailyCounters(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
): Promise<void> {
  await sql`
    insert into firmware_version_daily_counters as stored
      (workspace_id, firmware_version_id, day, critical, high, medium, low, none, unknown, exploited)
    select workspace_id, firmware_version_id, (${at}::timestamptz at time zone 'UTC')::date,
      critical, high, medium, low, none, unknown, exploited
    from firmware_version_counters where workspace_id = ${workspaceId}
    order by firmware_version_id
    on conflict (workspace_id, firmware_version_id, day) do update set critical = excluded.critical,
      high = excluded.high, medium = excluded.medium, low = excluded.low, none = excluded.none, unknown = excluded.unknown,
      exploited = excluded.exploited
    where (stored.critical, stored.high, stored.medium, stored.low, stored.none, stored.unknown, stored.exploited)
      is distinct from (excluded.critical, excluded.high, excluded.medium, excluded.low, excluded.none, excluded.unknown,
        excluded.exploited)`.execute(db)
}

export interface TrendDay {
  day: string
  critical: number
  high: number
  medium: number
  low: number
  none: number
  unknown: number
}

/** Leaves out days without stored counters; today has the present counters. */
export async function listTrend(
  db: Db,
  query: { workspaceId: string; firmwareVersionId: string | undefined; since: Date; at: Date },
): Promise<TrendDay[]> {
  const { workspaceId, firmwareVersionId, since, at } = query
  const isMeant =
    firmwareVersionId === undefined
      ? sql`workspace_id = ${workspaceId}`
      : sql`workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}`
  const today = sql`(${at}::timestamptz at time zone 'UTC')::date`
  const { rows } = await sql<TrendDay>`
    select day::text, sum(critical)::int as critical, sum(high)::int as high, sum(medium)::int as medium,
      sum(low)::int as low, sum(none)::int as none, sum(unknown)::int as unknown
    from (
      select day, critical, high, medium, low, none, unknown from firmware_version_daily_counters
      where ${isMeant} and day >= (${since}::timestamptz at time zone 'UTC')::date and day < ${today}
      union all
      select ${today}, critical, high, medium, low, none, unknown from firmware_version_counters where ${isMeant}
    ) as each
    group by day order by day`.execute(db)
  return rows
}

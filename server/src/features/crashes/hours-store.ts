/** How many crashes devices sent, by the hour of receipt, also what was not kept. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

interface IntakeCounts {
  keptCount: number
  droppedCount: number
  malformedCount: number
  lastFault: string | null
}

/** What was sent, also what was not kept: of a device, or of all. */
export async function sumDeviceHours(
  db: Db,
  { workspaceId, deviceId }: { workspaceId: string; deviceId?: string },
): Promise<IntakeCounts> {
  const { rows } = await sql<IntakeCounts>`
    select coalesce(sum(kept_count), 0)::int as kept_count, coalesce(sum(dropped_count), 0)::int as dropped_count,
      coalesce(sum(malformed_count), 0)::int as malformed_count,
      (array_agg(last_fault order by last_at desc) filter (where last_fault is not null))[1] as last_fault
    from crash_device_hours
    where workspace_id = ${workspaceId}
      ${deviceId === undefined ? sql`` : sql`and device_id = ${deviceId}`}`.execute(db)
  return rows[0] ?? { keptCount: 0, droppedCount: 0, malformedCount: 0, lastFault: null }
}

interface CrashTotals {
  deviceId: string
  crashCount: number
}

/**
 * How often each device crashed in a window, also what was not kept; devices that did not are left out. Crashes count by
 * the time of receipt, those of an hour together where the last of them lies.
 */
export async function listCrashCounts(
  db: Db,
  {
    workspaceId,
    deviceIds,
    from,
    to,
  }: { workspaceId: string; deviceIds: readonly string[]; from: Date; to: Date },
): Promise<CrashTotals[]> {
  const { rows } = await sql<CrashTotals>`
    select hours.device_id, sum(hours.kept_count + hours.dropped_count)::int as crash_count
    from unnest(${deviceIds}::text[]) as asked (id)
    join crash_device_hours as hours on hours.workspace_id = ${workspaceId} and hours.device_id = asked.id
    where hours.last_at >= ${from} and hours.last_at < ${to}
    group by hours.device_id
    having sum(hours.kept_count + hours.dropped_count) > 0
    order by hours.device_id`.execute(db)
  return rows
}

/** Of workspaces that have any. */
export async function sumNotKept(
  db: Db,
): Promise<{ workspaceId: string; dropped: number; malformed: number }[]> {
  const { rows } = await sql<{ workspaceId: string; dropped: number; malformed: number }>`
    select workspace_id, sum(dropped_count)::int as dropped, sum(malformed_count)::int as malformed
    from crash_device_hours
    group by workspace_id
    having sum(dropped_count + malformed_count) > 0
    order by workspace_id`.execute(db)
  return rows
}

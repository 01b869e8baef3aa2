/** How many devices report a firmware version, by how long ago they were seen: read from counters that intake maintains. */
import { type RawBuilder, sql } from 'kysely'
import { countHours } from '../../formats/instants.ts'
import type { Db } from '../../platform/db/connect.ts'

/** Fields of an answer. Each device is in one of the four groups. */
export interface AffectedDevices {
  affectedDeviceCount: number
  affectedDevices: { runningNow: number; seenLastDay: number; seenLastWeek: number; older: number }
}

export const NO_AFFECTED_DEVICES: AffectedDevices = {
  affectedDeviceCount: 0,
  affectedDevices: { runningNow: 0, seenLastDay: 0, seenLastWeek: 0, older: 0 },
}

const DAY_HOURS = 24
const WEEK_HOURS = 7 * DAY_HOURS

/** The hours, counted since 1970, with which the last day and the last week begin. */
function seenWindows(now: Date): { day: number; week: number } {
  const hour = countHours(now)
  return { day: hour - DAY_HOURS, week: hour - WEEK_HOURS }
}

/** Columns with the total and the four groups. The statement names its rows of `firmware_version_device_counts` `counts`. */
export function sumDeviceCounts(now: Date): RawBuilder<unknown> {
  const { day, week } = seenWindows(now)
  const sum = (condition: RawBuilder<unknown>) =>
    sql`coalesce(sum(counts.devices) filter (where ${condition}), 0)::int`
  return sql`
    coalesce(sum(counts.devices), 0)::int as total, ${sum(sql`counts.connected`)} as running_now,
    ${sum(sql`not counts.connected and counts.seen_hour >= ${day}::int`)} as seen_last_day,
    ${sum(sql`not counts.connected and counts.seen_hour < ${day}::int and counts.seen_hour >= ${week}::int`)}
      as seen_last_week,
    ${sum(sql`not counts.connected and counts.seen_hour < ${week}::int`)} as older`
}

interface CountsRow {
  firmwareVersionId: string
  total: number
  runningNow: number
  seenLastDay: number
  seenLastWeek: number
  older: number
}

/** Answers one entry per id, in the order of the ids. */
export async function listAffectedDevices(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
  now: Date,
): Promise<AffectedDevices[]> {
  const { rows } = await sql<CountsRow>`
    select counts.firmware_version_id, ${sumDeviceCounts(now)}
    from firmware_version_device_counts as counts
    where counts.workspace_id = ${workspaceId} and counts.firmware_version_id = any(${firmwareVersionIds}::uuid[])
    group by counts.firmware_version_id`.execute(db)
  const byId = new Map(
    rows.map(({ firmwareVersionId, total, ...affectedDevices }) => [
      firmwareVersionId,
      { affectedDeviceCount: total, affectedDevices },
    ]),
  )
  return firmwareVersionIds.map((id) => byId.get(id) ?? NO_AFFECTED_DEVICES)
}

export async function readAffectedDevices(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
  now: Date,
): Promise<AffectedDevices> {
  const version = { workspaceId, firmwareVersionIds: [firmwareVersionId] }
  const [affected = NO_AFFECTED_DEVICES] = await listAffectedDevices(db, version, now)
  return affected
}

/** What crashed in which version, and whether an earlier one crashed alike. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { isFirstVersion, wasMeasuredBefore } from './reporting/store.ts'

export const NOVELTIES = ['New', 'Known', 'Unknown'] as const

/** Why a crash cannot be compared with those of earlier versions: by its addresses, or as nothing could report any. */
export const OBSTACLES = ['LinesMissing', 'NotMeasured'] as const

export interface VersionCrashRow {
  firmwareVersionId: string
  versionName: string
  firmware: { id: string; slug: string; name: string | null }
  groupId: string
  reason: string
  frames: string[]
  buildId: string | null
  closedAt: Date | null
  crashCount: number
  deviceCount: number
  firstSeenAt: Date
  lastSeenAt: Date
  firstReceivedAt: Date
  novelty: (typeof NOVELTIES)[number]
  /** null: it is not Unknown. */
  unknownBecause: (typeof OBSTACLES)[number] | null
}

/**
 * The groups that crashed in versions, those of the most devices first. New: no version that was created before crashed
 * alike. Unknown: it cannot be compared, as addresses stand in place of names and an earlier version crashed for the same
 * reason; or as no device with an earlier version reported crashes at all.
 */
export async function listVersionCrashes(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<VersionCrashRow[]> {
  const earlier = (condition: RawBuilder<unknown>) => sql`
    select from crash_stacks as stack
    join crash_versions as counted on counted.workspace_id = ${workspaceId} and counted.stack_id = stack.id
    join firmware_versions as earlier
      on earlier.workspace_id = ${workspaceId} and earlier.id = counted.firmware_version_id
    where stack.workspace_id = ${workspaceId} and earlier.firmware_id = version.firmware_id
      and (earlier.created_at, earlier.id) < (version.created_at, version.id) and ${condition}`
  const { rows } = await sql<Omit<VersionCrashRow, 'novelty'> & { isKnown: boolean }>`
    select found.firmware_version_id, version.name as version_name,
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name) as firmware,
      crash.id as group_id, crash.reason, crash.frames, crash.build_id, crash.closed_at,
      found.crash_count, found.first_seen_at, found.last_seen_at, found.first_received_at, (
        select count(distinct daily.device_id)::int
        from crash_stacks as stack
        join crash_counts as daily on daily.workspace_id = ${workspaceId} and daily.stack_id = stack.id
        where stack.workspace_id = ${workspaceId} and stack.group_id = crash.id
          and daily.firmware_version_id = found.firmware_version_id) as device_count,
      exists (${earlier(sql`stack.group_id = crash.id`)}) as is_known,
      case
        when exists (${earlier(sql`stack.group_id = crash.id`)}) then null
        when crash.build_id is not null and exists (${earlier(sql`stack.reason = crash.reason`)}) then 'LinesMissing'
        when not version.is_comparable then 'NotMeasured' end as unknown_because
    from (
      select counted.firmware_version_id, stack.group_id, sum(counted.crash_count)::int as crash_count,
        min(counted.first_seen_at) as first_seen_at, max(counted.last_seen_at) as last_seen_at,
        min(counted.first_received_at) as first_received_at
      from crash_versions as counted
      join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.id = counted.stack_id
      where counted.workspace_id = ${workspaceId}
        and counted.firmware_version_id = any(${firmwareVersionIds}::uuid[])
      group by counted.firmware_version_id, stack.group_id) as found
    join crash_groups as crash on crash.workspace_id = ${workspaceId} and crash.id = found.group_id
    join (
      select version.id, version.name, version.firmware_id, version.created_at,
        ${isFirstVersion(workspaceId)} or ${wasMeasuredBefore(workspaceId)} as is_comparable
      from firmware_versions as version
      where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])
    ) as version on version.id = found.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    order by device_count desc, found.crash_count desc, crash.id limit 1000`.execute(db)
  return rows.map(({ isKnown, ...row }) => ({
    ...row,
    novelty: isKnown ? 'Known' : row.unknownBecause === null ? 'New' : 'Unknown',
  }))
}

/** The groups that versions showed first in a window, by the time of receipt. */
export async function listRecentCrashes(
  db: Db,
  workspaceId: string,
  { from, to }: { from: Date; to: Date },
): Promise<VersionCrashRow[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct firmware_version_id as id from crash_versions
    where workspace_id = ${workspaceId} and firmware_version_id is not null
      and first_received_at >= ${from} and first_received_at < ${to}`.execute(db)
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  return (await listVersionCrashes(db, workspaceId, ids)).filter(
    ({ firstReceivedAt }) => firstReceivedAt >= from && firstReceivedAt < to,
  )
}

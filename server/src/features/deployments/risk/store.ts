/** What the devices of cohorts run and install, and when versions were last in use. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import type { DeploymentRow } from '../store.ts'
import {
  DEVICE_STATES,
  type DeviceState,
  type DeviceStateCounts,
  type UpdateState,
} from '../device-updates/state.ts'

export interface RunningGroup {
  firmwareId: string
  /** null: unknown versions, which no firmware version matches. */
  id: string | null
  name: string | null
  deviceCount: number
}

/** Ordered by number of devices, most first. */
export async function listRunning(
  db: Db,
  workspaceId: string,
  { cohortId, firmwareIds }: { cohortId: string; firmwareIds: readonly string[] },
): Promise<RunningGroup[]> {
  const { rows } = await sql<RunningGroup>`
    select firmware.id as firmware_id, version.id, version.name, count(*)::int as device_count
    from devices as device
    join device_firmwares as running
      on running.workspace_id = device.workspace_id and running.device_id = device.id
    left join firmware_versions as version
      on version.workspace_id = running.workspace_id and version.id = running.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = running.workspace_id
      and case when version.id is null then firmware.slug = running.slug
        else firmware.id = version.firmware_id end
    where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId}
      and firmware.id = any(${firmwareIds}::uuid[])
    group by firmware.id, version.id, version.name
    order by device_count desc, version.id`.execute(db)
  return rows
}

export interface LastUse {
  firmwareVersionId: string
  isActive: boolean
  endedAt: Date | null
  runningDeviceCount: number
}

/** The last use of each version in the whole workspace. `endedAt` is that of the last ended deployment that held it. */
export async function listLastUses(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<LastUse[]> {
  const { rows } = await sql<LastUse>`
    select version.id as firmware_version_id, held.is_active, held.ended_at, (
      select coalesce(sum(counted.devices), 0)::int from firmware_version_device_counts as counted
      where counted.workspace_id = ${workspaceId} and counted.firmware_version_id = version.id
    ) as running_device_count
    from firmware_versions as version
    cross join lateral (
      select coalesce(bool_or(deployment.is_active), false) as is_active, max(deployment.ended_at) as ended_at
      from deployment_artifacts as artifact
      join deployments as deployment
        on deployment.workspace_id = artifact.workspace_id and deployment.id = artifact.deployment_id
      where artifact.workspace_id = ${workspaceId} and artifact.firmware_version_id = version.id) as held
    where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])`.execute(
    db,
  )
  return rows
}

export interface RunningSet {
  cohortId: string
  /** The known versions, in order; empty where all are unknown. */
  firmwareVersionIds: string[]
  versions: { id: string; firmwareId: string }[]
  /** The firmwares that they report, also in unknown versions. */
  firmwareIds: string[]
  devices: number
}

/** Devices that are alike are one row. Those that never reported a firmware are left out. */
export async function listRunningSets(
  db: Db,
  workspaceId: string,
  cohortIds: readonly string[],
): Promise<RunningSet[]> {
  const { rows } = await sql<RunningSet>`
    select grouped.*, (
      select coalesce(json_agg(json_build_object('id', version.id, 'firmwareId', version.firmware_id)), '[]')
      from firmware_versions as version
      where version.workspace_id = ${workspaceId} and version.id = any(grouped.firmware_version_ids)) as versions
    from (select cohort_id, firmware_version_ids, firmware_ids, count(*)::int as devices from (
      select device.cohort_id,
        coalesce(array_agg(distinct version.id) filter (where version.id is not null), '{}') as firmware_version_ids,
        coalesce(array_agg(distinct firmware.id) filter (where firmware.id is not null), '{}') as firmware_ids
      from devices as device
      join device_firmwares as running
        on running.workspace_id = device.workspace_id and running.device_id = device.id
      left join firmware_versions as version
        on version.workspace_id = running.workspace_id and version.id = running.firmware_version_id
      left join firmwares as firmware on firmware.workspace_id = running.workspace_id
        and case when version.id is null then firmware.slug = running.slug
          else firmware.id = version.firmware_id end
      where device.workspace_id = ${workspaceId} and device.cohort_id = any(${cohortIds}::uuid[])
      group by device.cohort_id, device.id
    ) as each
    group by cohort_id, firmware_version_ids, firmware_ids) as grouped`.execute(db)
  return rows
}

/** A deployment, its cohort, and the versions that it brings. */
export interface DeploymentTarget {
  workspaceId: string
  deploymentId: string
  cohortId: string
  versionIds: readonly string[]
}

export function describeTarget(workspaceId: string, deployment: DeploymentRow): DeploymentTarget {
  const { id: deploymentId, cohortId } = deployment
  return { workspaceId, deploymentId, cohortId, versionIds: listVersionIds(deployment) }
}

export function listVersionIds({ artifacts }: DeploymentRow): string[] {
  return (artifacts ?? []).map(({ firmware }) => firmware.firmwareVersion.id)
}

/**
 * Each device of the deployment once. Counters of updates do not tell: an update waits for the next contact of a device that runs the
 * versions already.
 */
export async function countDeviceStates(
  db: Db,
  target: DeploymentTarget,
): Promise<DeviceStateCounts> {
  const counted = DEVICE_STATES.map(
    (state) => sql`count(*) filter (where device_state = ${state})::int as ${sql.ref(state)}`,
  )
  const { rows } = await sql<DeviceStateCounts>`
    select ${sql.join(counted)} from (${selectDeviceStates(target)}) as told`.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('a count without a row')
  return counts
}

/** The most frequent reasons of devices that failed, most frequent first. */
export async function countFailureReasons(
  db: Db,
  target: DeploymentTarget,
): Promise<{ reason: string; count: number }[]> {
  const { rows } = await sql<{ reason: string; count: number }>`
    select coalesce(reason, '') as reason, count(*)::int as count
    from (${selectDeviceStates(target, sql`updates.state = 'failed'`)}) as told
    where device_state = 'failed'
    group by 1 order by count desc, 1 limit 20`.execute(db)
  return rows
}

/**
 * The updates of a deployment, or those of a condition, with what their devices are to it. Members of the cohort are read from its index, as
 * rows of devices are wide.
 */
export function selectDeviceStates(target: DeploymentTarget, condition = sql`true`) {
  const { workspaceId, deploymentId, cohortId, versionIds } = target
  return sql`
    select updates.device_id, updates.number, updates.reason, updates.attempt,
      ${hasChangedSince(workspaceId, versionIds)} as has_changed,
      ${nameDeviceState(sql`member.id is null`, sql`running.device_id is not null`)} as device_state
    from device_updates as updates
    left join (
      select device.id from devices as device
      where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId}::uuid
    ) as member on member.id = updates.device_id
    left join (${selectDevicesRunning(workspaceId, versionIds)}) as running on running.device_id = updates.device_id
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = ${deploymentId} and ${condition}`
}

/** Something that may let a failed update succeed now: another version on the device, or another binary. */
export const hasChangedSince = (
  workspaceId: string,
  versionIds: readonly string[],
) => sql<boolean>`(
  updates.state = 'failed' and (
    exists (select from device_firmwares as changed
      where changed.workspace_id = ${workspaceId} and changed.device_id = updates.device_id
        and changed.since > updates.finished_at)
    or updates.finished_at < (select max(stored.created_at) from firmware_artifacts as stored
      where stored.workspace_id = ${workspaceId} and stored.firmware_version_id = any(${versionIds}::uuid[]))))`

const nameDeviceState = (
  hasLeft: RawBuilder<unknown>,
  isReporting: RawBuilder<unknown>,
) => sql<DeviceState>`
  case when ${hasLeft} then 'left'
    when ${isReporting} then 'reporting'
    when updates.state = 'inProgress' then 'installing'
    when updates.state = 'pending' then 'waiting'
    when updates.state = 'succeeded' then 'movedOn'
    else updates.state end`

export interface ListedUpdate {
  deviceId: string
  updateId: string
  state: UpdateState
  deviceState: DeviceState
  /** What devices report of the firmwares that the deployment brings. */
  reports: { slug: string; version: string; firmwareVersionId: string | null }[]
  attempt: number
  reason: string | null
  progress: number | null
  unconfirmed: boolean
  createdAt: Date
  releasedAt: Date | null
  startedAt: Date | null
  installedAt: Date | null
  finishedAt: Date | null
  deadlineAt: Date | null
}

export interface UpdateFilter {
  states?: readonly UpdateState[] | undefined
  deviceStates?: readonly DeviceState[] | undefined
  /** As `failureReasons` tells them: empty where there is none. */
  reasons?: readonly string[] | undefined
}

/** Ordered by device id. */
export async function findUpdatePage(
  db: Db,
  { workspaceId, deploymentId, cohortId, versionIds }: DeploymentTarget,
  {
    states,
    deviceStates,
    reasons,
    after,
    limit,
  }: UpdateFilter & { after: string | undefined; limit: number },
): Promise<ListedUpdate[]> {
  const ids = [...new Set(versionIds)]
  const isReporting = sql`(
    select count(distinct running.firmware_version_id) = ${ids.length} from device_firmwares as running
    where running.workspace_id = ${workspaceId} and running.device_id = updates.device_id
      and running.firmware_version_id = any(${ids}::uuid[]))`
  const hasLeft = sql`device.cohort_id is distinct from ${cohortId}::uuid`
  const deviceState = nameDeviceState(hasLeft, isReporting)
  const { rows } = await sql<ListedUpdate>`
    select updates.device_id, updates.update_id, updates.state, ${deviceState} as device_state, updates.attempt,
      updates.reason, updates.progress, updates.unconfirmed, updates.created_at, updates.released_at,
      updates.started_at, updates.installed_at, updates.finished_at, updates.deadline_at, (
        select coalesce(json_agg(json_build_object('slug', running.slug, 'version', running.version,
          'firmwareVersionId', running.firmware_version_id) order by running.slug), '[]')
        from device_firmwares as running
        where running.workspace_id = ${workspaceId} and running.device_id = updates.device_id
          and running.slug in (
            select firmware.slug from firmware_versions as version
            join firmwares as firmware
              on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
            where version.workspace_id = ${workspaceId} and version.id = any(${ids}::uuid[]))) as reports
    from device_updates as updates
    join devices as device on device.workspace_id = updates.workspace_id and device.id = updates.device_id
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = ${deploymentId}
      and updates.device_id > ${after ?? ''}
      and (${states === undefined} or updates.state = any(${states ?? []}::text[]))
      and (${reasons === undefined} or coalesce(updates.reason, '') = any(${reasons ?? []}::text[]))
      and (${deviceStates === undefined} or ${deviceState} = any(${deviceStates ?? []}::text[]))
    order by updates.device_id limit ${limit}`.execute(db)
  return rows
}

/** The devices of the workspace that report all of these versions. */
export function selectDevicesRunning(workspaceId: string, versionIds: readonly string[]) {
  const ids = [...new Set(versionIds)]
  const [only] = ids
  // To count what each device has takes longer than all else.
  if (only !== undefined && ids.length === 1)
    return sql`
      select distinct running.device_id from device_firmwares as running
      where running.workspace_id = ${workspaceId} and running.firmware_version_id = ${only}`
  return sql`
    select running.device_id from device_firmwares as running
    where running.workspace_id = ${workspaceId} and running.firmware_version_id = any(${ids}::uuid[])
    group by running.device_id having count(distinct running.firmware_version_id) = ${ids.length}`
}

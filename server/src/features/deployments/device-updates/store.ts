/** Single device updates, which the reports of devices change. Changes of many at once are in bulk-store.ts. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import type { UpdateStatus, UpdateState, UpdateLimits } from './state.ts'

export interface UpdateKey {
  deploymentId: string
  deviceId: string
}

/**
 * Updates of active deployments that may change state because of the versions that the devices run. Locks nothing, as
 * most contacts change nothing.
 */
export async function listAffectedUpdates(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<UpdateKey[]> {
  const { rows } = await sql<UpdateKey>`
    select updates.deployment_id, updates.device_id
    from devices as device
    join deployments as deployment on deployment.workspace_id = device.workspace_id
      and deployment.cohort_id = device.cohort_id and deployment.is_active
    join device_updates as updates on updates.workspace_id = deployment.workspace_id
      and updates.deployment_id = deployment.id and updates.device_id = device.id
    cross join lateral (${selectTarget(workspaceId)}) as target
    where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])
      and device.reported_at is not null
      and case updates.state
        when 'succeeded' then not target.runs or (updates.unconfirmed and not target.unconfirmed)
        when 'inProgress' then target.runs or updates.installed_at is not null
        else updates.state <> 'cancelled' and target.runs end`.execute(db)
  return rows
}

/** Whether the device reports all versions of the deployment. */
const selectTarget = (workspaceId: string) => sql`
  select bool_and(firmware.device_id is not null) as runs, coalesce(bool_or(not firmware.confirmed), false) as unconfirmed
  from deployment_artifacts as artifact
  left join device_firmwares as firmware on firmware.workspace_id = artifact.workspace_id
    and firmware.device_id = device.id and firmware.firmware_version_id = artifact.firmware_version_id
  where artifact.workspace_id = ${workspaceId} and artifact.deployment_id = deployment.id`

/** The updates that belong to these devices and currently have these ids. */
export async function listUpdatesById(
  db: Db,
  workspaceId: string,
  updates: readonly { deviceId: string; updateId: string }[],
): Promise<UpdateKey[]> {
  const { rows } = await sql<UpdateKey>`
    select updates.deployment_id, updates.device_id
    from unnest(${updates.map(({ updateId }) => updateId)}::uuid[], ${updates.map(({ deviceId }) => deviceId)}::text[])
      as reported (update_id, device_id)
    join device_updates as updates on updates.workspace_id = ${workspaceId}
      and updates.update_id = reported.update_id and updates.device_id = reported.device_id`.execute(
    db,
  )
  return rows
}

export interface LockedUpdate extends UpdateStatus, UpdateLimits, UpdateKey {
  updateId: string
  /** The deployment is active and the device still belongs to its cohort. */
  isCurrent: boolean
  deploymentState: string
  hasReported: boolean
  /** The latest run of the device. */
  runId: string | null
  runsTarget: boolean
  runsUnconfirmed: boolean
  /** What it runs instead of each version of the deployment that it does not run. null: it reports no version. */
  otherVersions: { slug: string; version: string | null }[]
}

/** Locks updates ordered by device, then deployment. The caller holds the devices' rows, so the running versions are stable. */
export async function lockUpdates(
  tx: Db,
  workspaceId: string,
  keys: readonly UpdateKey[],
): Promise<LockedUpdate[]> {
  const { rows } = await sql<LockedUpdate>`
    select ${statusColumns},
      deployment.is_active and deployment.cohort_id is not distinct from device.cohort_id as is_current,
      deployment.state as deployment_state, device.reported_at is not null as has_reported,
      device.run_ids[1] as run_id, target.runs as runs_target, target.unconfirmed as runs_unconfirmed,
      (${otherVersions(workspaceId)}) as other_versions
    from unnest(${keys.map(({ deploymentId }) => deploymentId)}::uuid[],
      ${keys.map(({ deviceId }) => deviceId)}::text[]) as named (deployment_id, device_id)
    join device_updates as updates on updates.workspace_id = ${workspaceId}
      and updates.deployment_id = named.deployment_id and updates.device_id = named.device_id
    join deployments as deployment
      on deployment.workspace_id = updates.workspace_id and deployment.id = updates.deployment_id
    join devices as device on device.workspace_id = updates.workspace_id and device.id = updates.device_id
    cross join lateral (${selectTarget(workspaceId)}) as target
    order by updates.device_id, updates.deployment_id
    for no key update of updates`.execute(tx)
  return rows
}

const statusColumns = sql`updates.deployment_id, updates.device_id, updates.update_id, updates.state, updates.attempt,
  updates.reason, updates.progress, updates.started_at, updates.installed_at, updates.installed_run_id,
  updates.finished_at, updates.deadline_at, updates.unconfirmed, updates.cancel_offered,
  deployment.start_deadline_seconds, deployment.device_deadline_seconds, deployment.max_attempts`

const otherVersions = (workspaceId: string) => sql`
  select coalesce(json_agg(
    json_build_object('slug', firmware.slug, 'version', running.version) order by artifact.position), '[]')
  from deployment_artifacts as artifact
  join firmware_versions as version on version.workspace_id = artifact.workspace_id
    and version.id = artifact.firmware_version_id
  join firmwares as firmware on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
  left join device_firmwares as running on running.workspace_id = artifact.workspace_id
    and running.device_id = device.id and running.slug = firmware.slug
  where artifact.workspace_id = ${workspaceId} and artifact.deployment_id = deployment.id
    and running.firmware_version_id is distinct from artifact.firmware_version_id`

/** Locks open updates whose deadline has passed, at most `limit`. Skips those that another transaction holds. */
export async function lockOverdueUpdates(
  tx: Db,
  workspaceId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<(UpdateStatus & UpdateLimits & UpdateKey & { updateId: string })[]> {
  const { rows } = await sql<UpdateStatus & UpdateLimits & UpdateKey & { updateId: string }>`
    with due as materialized (
      select updates.deployment_id, updates.device_id
      from device_updates as updates
      join deployments as deployment
        on deployment.workspace_id = updates.workspace_id and deployment.id = updates.deployment_id
      where updates.workspace_id = ${workspaceId} and updates.state in ('pending', 'inProgress')
        and updates.deadline_at <= ${now}
        and (updates.state = 'inProgress' or deployment.state = 'Running')
      order by updates.deadline_at limit ${limit})
    select ${statusColumns}
    from due
    join device_updates as updates on updates.workspace_id = ${workspaceId}
      and updates.deployment_id = due.deployment_id and updates.device_id = due.device_id
    join deployments as deployment
      on deployment.workspace_id = updates.workspace_id and deployment.id = updates.deployment_id
    order by updates.device_id, updates.deployment_id
    for no key update of updates skip locked`.execute(tx)
  return rows
}

export interface UpdateChange {
  before: UpdateStatus & UpdateKey
  after: UpdateStatus
}

/** Writes updates in the order in which the caller locked them. A new attempt gets its own update id and number. */
export async function writeUpdates(
  tx: Db,
  workspaceId: string,
  moves: readonly UpdateChange[],
): Promise<void> {
  if (moves.length === 0) return
  const rows = moves.map(({ before, after }) => ({
    deployment_id: before.deploymentId,
    device_id: before.deviceId,
    new_update_id: after.attempt > before.attempt ? newId() : null,
    state: after.state,
    attempt: after.attempt,
    reason: after.reason,
    progress: after.progress,
    started_at: after.startedAt,
    installed_at: after.installedAt,
    installed_run_id: after.installedRunId,
    finished_at: after.finishedAt,
    deadline_at: after.deadlineAt,
    unconfirmed: after.unconfirmed,
    cancel_offered: after.cancelOffered,
  }))
  await sql`
    update device_updates as updates
    set update_id = coalesce(changed.new_update_id, updates.update_id),
      number = case when changed.new_update_id is null then updates.number else (
        select max(other.number) + 1 from device_updates as other
        where other.workspace_id = ${workspaceId} and other.device_id = updates.device_id) end,
      offered_at = case when changed.new_update_id is null then updates.offered_at end,
      state = changed.state, attempt = changed.attempt, reason = changed.reason, progress = changed.progress,
      started_at = changed.started_at, installed_at = changed.installed_at, installed_run_id = changed.installed_run_id,
      finished_at = changed.finished_at, deadline_at = changed.deadline_at, unconfirmed = changed.unconfirmed,
      cancel_offered = changed.cancel_offered,
      fell_back_at = case when updates.state = 'succeeded' and changed.state = 'failed' then changed.finished_at
        else updates.fell_back_at end
    from json_to_recordset(${JSON.stringify(rows)}::json) as changed (
      deployment_id uuid, device_id text, new_update_id uuid, state text, attempt integer, reason text,
      progress integer, started_at timestamptz, installed_at timestamptz, installed_run_id text,
      finished_at timestamptz, deadline_at timestamptz, unconfirmed boolean, cancel_offered boolean)
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = changed.deployment_id
      and updates.device_id = changed.device_id`.execute(tx)
}

interface NamedRow {
  id: string
  name: string
}

export interface UpdateOfDevice extends UpdateShown {
  number: number
  deployment: NamedRow & {
    cohort: NamedRow
    firmwareVersions: (NamedRow & { firmware: NamedRow })[]
  }
}

interface UpdateShown {
  updateId: string
  state: UpdateState
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

/** Above the number of every update. */
const NO_NUMBER = 2 ** 31 - 1

/** Highest number first, below `before`. */
export async function listUpdatesOfDevice(
  db: Db,
  workspaceId: string,
  { deviceId, before, limit }: { deviceId: string; before: number | undefined; limit: number },
): Promise<UpdateOfDevice[]> {
  const { rows } = await sql<UpdateOfDevice>`
    select updates.number, updates.update_id, updates.state, updates.attempt, updates.reason, updates.progress,
      updates.unconfirmed, updates.created_at, updates.released_at, updates.started_at, updates.installed_at,
      updates.finished_at, updates.deadline_at, json_build_object(
        'id', deployment.id, 'name', deployment.name,
        'cohort', json_build_object('id', cohort.id, 'name', cohort.name),
        'firmwareVersions', coalesce((
          select json_agg(json_build_object('id', version.id, 'name', version.name,
            'firmware', json_build_object('id', firmware.id, 'name', firmware.name)) order by artifact.position)
          from deployment_artifacts as artifact
          join firmware_versions as version
            on version.workspace_id = artifact.workspace_id and version.id = artifact.firmware_version_id
          join firmwares as firmware
            on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
          where artifact.workspace_id = ${workspaceId} and artifact.deployment_id = deployment.id), '[]')) as deployment
    from device_updates as updates
    join deployments as deployment
      on deployment.workspace_id = updates.workspace_id and deployment.id = updates.deployment_id
    join deployment_cohorts as cohort
      on cohort.workspace_id = deployment.workspace_id and cohort.id = deployment.cohort_id
    where updates.workspace_id = ${workspaceId} and updates.device_id = ${deviceId}
      and updates.number < ${before ?? NO_NUMBER}
    order by updates.number desc limit ${limit}`.execute(db)
  return rows
}

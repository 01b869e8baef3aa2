/** Device updates of a whole deployment, or of devices that join and leave. One statement changes any number of them. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import { hasChangedSince } from '../risk/store.ts'
import type { UpdateState } from './state.ts'

interface OfDeployment {
  workspaceId: string
  deploymentId: string
}

export interface Release {
  /** null: their phase has not begun. */
  releasedAt: Date | null
  deadlineAt: Date | null
}

const nextNumber = (workspaceId: string) => sql`1 + coalesce((
  select max(earlier.number) from device_updates as earlier
  where earlier.workspace_id = ${workspaceId} and earlier.device_id = device.id), 0)`

/** Inserts a pending update for each device of the cohort. The caller has locked the cohort. Answers how many. */
export async function insertUpdatesOfCohort(
  tx: Db,
  { workspaceId, deploymentId }: OfDeployment,
  { cohortId, now, releasedAt, deadlineAt }: Release & { cohortId: string; now: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into device_updates (workspace_id, deployment_id, device_id, update_id, number, state, released_at,
      deadline_at, created_at)
    select device.workspace_id, ${deploymentId}, device.id, gen_random_uuid(), ${nextNumber(workspaceId)}, 'pending',
      ${releasedAt}, ${deadlineAt}, ${now}
    from devices as device
    where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId}
    order by device.id`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Gives joining devices a new pending update, also those that had one before. Answers the states of the replaced ones. */
export async function insertJoiningUpdates(
  tx: Db,
  { workspaceId, deploymentId }: OfDeployment,
  { deviceIds, now, releasedAt, deadlineAt }: Release & { deviceIds: readonly string[]; now: Date },
): Promise<StateCount[]> {
  const known = await lockStates(tx, { workspaceId, deploymentId }, deviceIds)
  await sql`
    insert into device_updates (workspace_id, deployment_id, device_id, update_id, number, state, released_at,
      deadline_at, created_at)
    select device.workspace_id, ${deploymentId}, device.id, gen_random_uuid(), ${nextNumber(workspaceId)}, 'pending',
      ${releasedAt}, ${deadlineAt}, ${now}
    from devices as device
    where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])
    order by device.id
    on conflict (workspace_id, deployment_id, device_id) do update
    set update_id = excluded.update_id, number = excluded.number, state = 'pending', attempt = 1, reason = null,
      progress = null, released_at = excluded.released_at, started_at = null, installed_at = null,
      installed_run_id = null, finished_at = null, deadline_at = excluded.deadline_at, unconfirmed = false,
      cancel_offered = false, offered_at = null`.execute(tx)
  return known
}

export interface StateCount {
  deploymentId: string
  state: UpdateState
  devices: number
}

async function lockStates(
  tx: Db,
  { workspaceId, deploymentId }: OfDeployment,
  deviceIds: readonly string[],
): Promise<StateCount[]> {
  const { rows } = await sql<StateCount>`
    select deployment_id, state, count(*)::int as devices from (
      select deployment_id, state from device_updates
      where workspace_id = ${workspaceId} and deployment_id = ${deploymentId}
        and device_id = any(${deviceIds}::text[])
      order by device_id for no key update) as locked
    group by deployment_id, state`.execute(tx)
  return rows
}

/** Locks and counts the updates of the devices in all deployments. */
export async function lockStatesOfDevices(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<StateCount[]> {
  const { rows } = await sql<StateCount>`
    select deployment_id, state, count(*)::int as devices from (
      select deployment_id, state from device_updates
      where workspace_id = ${workspaceId} and device_id = any(${deviceIds}::text[])
      order by device_id, deployment_id for no key update) as locked
    group by deployment_id, state`.execute(tx)
  return rows
}

export async function lockUpdatesOfDeployment(
  tx: Db,
  { workspaceId, deploymentId }: OfDeployment,
): Promise<void> {
  await sql`
    select count(*) from (
      select from device_updates
      where workspace_id = ${workspaceId} and deployment_id = ${deploymentId}
      order by device_id for no key update) as locked`.execute(tx)
}

const cancelled = (reason: string, now: Date) => ({
  state: 'cancelled' as const,
  reason,
  finishedAt: now,
  deadlineAt: null,
  cancelOffered: sql<boolean>`state = 'inProgress' or offered_at is not null`,
})

/** Cancels the open updates of a deployment. The caller has locked all its updates. */
export async function cancelUpdatesOfDeployment(
  tx: Db,
  { workspaceId, deploymentId }: OfDeployment,
  { reason, now }: { reason: string; now: Date },
): Promise<void> {
  await tx
    .updateTable('deviceUpdates')
    .set(cancelled(reason, now))
    .where('workspaceId', '=', workspaceId)
    .where('deploymentId', '=', deploymentId)
    .where('state', 'in', ['pending', 'inProgress'])
    .execute()
}

/** Cancels the open updates of devices that leave their cohorts. Answers how many were in which state. */
export async function cancelUpdatesOfDevices(
  tx: Db,
  workspaceId: string,
  { deviceIds, reason, now }: { deviceIds: readonly string[]; reason: string; now: Date },
): Promise<StateCount[]> {
  const { rows } = await sql<StateCount>`
    select deployment_id, state, count(*)::int as devices from (
      select deployment_id, state from device_updates
      where workspace_id = ${workspaceId} and device_id = any(${deviceIds}::text[])
        and state in ('pending', 'inProgress')
      order by device_id for no key update) as locked
    group by deployment_id, state`.execute(tx)
  if (rows.length === 0) return rows
  await tx
    .updateTable('deviceUpdates')
    .set(cancelled(reason, now))
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${deviceIds}::text[])`)
    .where('state', 'in', ['pending', 'inProgress'])
    .execute()
  return rows
}

/**
 * Releases updates until `percent` of the deployment's devices have theirs, rounded up. Each deployment has its own order
 * of devices, so that not always the same devices are first. Answers how many it released.
 */
export async function releaseUpdates(
  tx: Db,
  of: OfDeployment,
  { percent, releasedAt, deadlineAt }: Release & { percent: number },
): Promise<number> {
  const last = await findLastToRelease(tx, of, percent)
  if (last === undefined) return 0
  // No join: the planner has no statistics of rows just inserted and might scan all of them for each row.
  const chosen = sql`workspace_id = ${of.workspaceId} and deployment_id = ${of.deploymentId} and state = 'pending'
    and released_at is null and ${releaseOrder} <= ${last}`
  await sql`
    select count(*) from (
      select from device_updates where ${chosen} order by device_id for no key update) as locked`.execute(
    tx,
  )
  const { numAffectedRows } = await sql`
    update device_updates set released_at = ${releasedAt}, deadline_at = ${deadlineAt}
    where ${chosen}`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

const releaseOrder = sql`md5(deployment_id::text || device_id)`

async function findLastToRelease(
  tx: Db,
  { workspaceId, deploymentId }: OfDeployment,
  percent: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ last: string }>`
    with counted as (
      select least(count(*) filter (where released_at is null and state = 'pending'),
        ceil(count(*) * ${percent}::integer / 100.0)::integer - count(released_at)) as wanted
      from device_updates
      where workspace_id = ${workspaceId} and deployment_id = ${deploymentId} and state <> 'cancelled')
    select ${releaseOrder} as last from device_updates
    where workspace_id = ${workspaceId} and deployment_id = ${deploymentId} and state = 'pending'
      and released_at is null
    order by 1
    offset (select greatest(wanted - 1, 0) from counted)
    limit (select case when wanted > 0 then 1 else 0 end from counted)`.execute(tx)
  return rows[0]?.last
}

/** Restarts the start deadline of updates that are released but not begun. */
export async function extendStartDeadlines(
  tx: Db,
  { workspaceId, deploymentId }: OfDeployment,
  deadlineAt: Date,
): Promise<void> {
  const waiting = sql`workspace_id = ${workspaceId} and deployment_id = ${deploymentId} and state = 'pending'
    and released_at is not null`
  await sql`
    select count(*) from (
      select from device_updates where ${waiting} order by device_id for no key update) as locked`.execute(
    tx,
  )
  await sql`update device_updates set deadline_at = ${deadlineAt} where ${waiting}`.execute(tx)
}

interface RetriedUpdates {
  cohortId: string
  /** undefined: whatever the reason. */
  reasons: readonly string[] | undefined
  /** The versions of the deployment, for only those devices for which something has changed since; undefined: all. */
  changedOf: readonly string[] | undefined
  now: Date
  deadlineAt: Date
}

/**
 * Has failed updates of devices that are still in the cohort tried again, each as a new attempt. The
 * reason stays, as that of the previous attempt. Answers how many.
 */
export async function retryFailedUpdates(
  tx: Db,
  { workspaceId, deploymentId }: OfDeployment,
  { cohortId, reasons, changedOf, ...release }: RetriedUpdates,
): Promise<number> {
  const { rows } = await sql<{ deviceId: string }>`
    select updates.device_id from device_updates as updates
    join devices as device on device.workspace_id = updates.workspace_id and device.id = updates.device_id
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = ${deploymentId}
      and updates.state = 'failed' and device.cohort_id = ${cohortId}
      and (${reasons === undefined} or coalesce(updates.reason, '') = any(${reasons ?? []}::text[]))
      and (${changedOf === undefined} or ${hasChangedSince(workspaceId, changedOf ?? [])})
    order by updates.device_id for no key update of updates`.execute(tx)
  if (rows.length === 0) return 0
  const deviceIds = rows.map(({ deviceId }) => deviceId)
  // Citus takes no volatile function in an update.
  const updateIds = rows.map(() => newId())
  await sql`
    update device_updates as updates
    set update_id = fresh.id, attempt = updates.attempt + 1, state = 'pending', progress = null,
      number = (select 1 + max(other.number) from device_updates as other
        where other.workspace_id = ${workspaceId} and other.device_id = updates.device_id),
      released_at = coalesce(updates.released_at, ${release.now}), offered_at = null, started_at = null, installed_at = null,
      installed_run_id = null, finished_at = null, deadline_at = ${release.deadlineAt}
    from unnest(${deviceIds}::text[], ${updateIds}::uuid[]) as fresh (device_id, id)
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = ${deploymentId}
      and updates.device_id = fresh.device_id`.execute(tx)
  return rows.length
}

/** Counts the updates that are released and not cancelled. */
export async function countReleased(
  db: Db,
  { workspaceId, deploymentId }: OfDeployment,
): Promise<{ released: number; succeeded: number; failed: number }> {
  return db
    .selectFrom('deviceUpdates')
    .select([
      sql<number>`count(*)::int`.as('released'),
      sql<number>`count(*) filter (where state = 'succeeded')::int`.as('succeeded'),
      sql<number>`count(*) filter (where state = 'failed')::int`.as('failed'),
    ])
    .where('workspaceId', '=', workspaceId)
    .where('deploymentId', '=', deploymentId)
    .where('releasedAt', 'is not', null)
    .where('state', '<>', 'cancelled')
    .executeTakeFirstOrThrow()
}

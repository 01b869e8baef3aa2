/** Which comparisons are due, and what they found. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { ComparisonPlan } from './plan.ts'
import { listBlindSpots } from './outcome.ts'
import type { SignalResult } from './result.ts'
import type { ComparisonRow, DeploymentKey } from './store.ts'

export interface DueComparison extends DeploymentKey {
  cohortId: string
  phase: number
  phaseBeganAt: Date
  waitSeconds: number
  plan: ComparisonPlan
  /** Devices that were updated before are left out: a person accepted that they do worse. */
  acceptedAt: Date | null
}

/** Comparisons of running deployments that nobody looked at since. Each workspace has one before any has its second. */
export async function listDueComparisons(
  db: Db,
  { checkedBefore, toldBefore }: { checkedBefore: Date; toldBefore: Date },
): Promise<DueComparison[]> {
  const { rows } = await sql<DueComparison>`
    select workspace_id, deployment_id, cohort_id, phase, phase_began_at, wait_seconds, plan, accepted_at from (
      select deployment.workspace_id, deployment.id as deployment_id, deployment.cohort_id, deployment.phase,
        deployment.phase_began_at, current.plan, current.wait_seconds, compared.checked_at,
        (select max((earlier.accepted ->> 'at')::timestamptz) from deployment_comparisons as earlier
          where earlier.workspace_id = deployment.workspace_id and earlier.deployment_id = deployment.id
            and earlier.state = 'Worse') as accepted_at,
        row_number() over (partition by deployment.workspace_id
          order by compared.checked_at nulls first, deployment.id) as turn
      from deployments as deployment
      cross join lateral (select deployment.phases -> deployment.phase -> 'comparison' as plan,
        coalesce((deployment.phases -> deployment.phase ->> 'waitSeconds')::int, 0) as wait_seconds) as current
      left join deployment_comparisons as compared on compared.workspace_id = deployment.workspace_id
        and compared.deployment_id = deployment.id and compared.phase = deployment.phase
      where deployment.is_active and deployment.state = 'Running' and deployment.phase_began_at is not null
        and jsonb_typeof(current.plan) = 'object'
        and (compared.phase is null or compared.accepted is null and (
          compared.state = 'Waiting' and compared.checked_at <= ${checkedBefore}
          or compared.state = 'TooFew' and compared.checked_at <= ${toldBefore}))
    ) as due
    order by turn, checked_at nulls first, workspace_id limit 200`.execute(db)
  return rows
}

type ClaimedComparison = Pick<ComparisonRow, 'state' | 'looks' | 'lookedCount' | 'results'>

/** undefined: another worker looks, or a person decided. */
export async function claimComparison(
  db: Db,
  { workspaceId, deploymentId, phase }: DueComparison,
  { now, checkedBefore }: { now: Date; checkedBefore: Date },
): Promise<ClaimedComparison | undefined> {
  const { rows } = await sql<ClaimedComparison>`
    insert into deployment_comparisons as compared (workspace_id, deployment_id, phase, checked_at, state)
    select workspace_id, id, ${phase}, ${now}, 'Waiting' from deployments
    where workspace_id = ${workspaceId} and id = ${deploymentId}
    on conflict (workspace_id, deployment_id, phase) do update set checked_at = excluded.checked_at
    where compared.checked_at <= ${checkedBefore} and compared.accepted is null
      and compared.state in ('Waiting', 'TooFew')
    returning state, looks, looked_count, results`.execute(db)
  return rows[0]
}

export interface FoundComparison extends ClaimedComparison {
  reason: string | null
  results: SignalResult[]
}

/** What a person accepted since stays as it was when it was accepted. */
export async function saveComparison(
  db: Db,
  { workspaceId, deploymentId, phase }: DueComparison,
  { results, ...found }: FoundComparison,
): Promise<void> {
  await db
    .updateTable('deploymentComparisons')
    .set({ ...found, results: JSON.stringify(results), blindTo: listBlindSpots(results) })
    .where('workspaceId', '=', workspaceId)
    .where('deploymentId', '=', deploymentId)
    .where('phase', '=', phase)
    .where('accepted', 'is', null)
    .execute()
}

export interface ComparisonProgress {
  /** Updated devices whose window is over. */
  ready: number
  /** Devices that began the update before such a window and do not run it. */
  begun: number
  /** Updated devices whose window is not over. */
  underWay: number
  /** Devices that may still take the update. */
  open: number
  /** Devices whose phase has not begun. */
  waiting: number
}

interface UpdatedSince {
  /** The window of devices that were updated by then is over. */
  until: Date
  since: Date | null
}

export async function countProgress(
  db: Db,
  { workspaceId, deploymentId }: DeploymentKey,
  { until, since }: UpdatedSince,
): Promise<ComparisonProgress> {
  const isUpdated = sql`state = 'succeeded' and (${since}::timestamptz is null or finished_at > ${since})`
  const isBegun = sql`state in ('inProgress', 'failed') and (${since}::timestamptz is null or started_at > ${since})`
  const { rows } = await sql<ComparisonProgress>`
    select count(*) filter (where ${isUpdated} and finished_at <= ${until})::int as ready,
      count(*) filter (where ${isBegun} and started_at <= ${until})::int as begun,
      count(*) filter (where ${isUpdated} and finished_at > ${until})::int as under_way,
      count(*) filter (where released_at is not null and state in ('pending', 'inProgress'))::int as open,
      count(*) filter (where released_at is null and state = 'pending')::int as waiting
    from device_updates
    where workspace_id = ${workspaceId} and deployment_id = ${deploymentId}`.execute(db)
  return rows[0] ?? { ready: 0, begun: 0, underWay: 0, open: 0, waiting: 0 }
}

/** Of the main version of the deployment: whether the device ran it before the deployment was made. */
export const hasRunBefore = (workspaceId: string, deploymentId: string) => sql`exists (
  select from device_firmwares as running
  join deployment_artifacts as artifact on artifact.workspace_id = running.workspace_id
    and artifact.firmware_version_id = running.firmware_version_id
  where running.workspace_id = ${workspaceId} and running.device_id = updates.device_id
    and artifact.deployment_id = ${deploymentId} and artifact.is_main
    and (updates.state = 'pending' or running.since < updates.created_at))`

/** Each deployment draws its own devices, and the same ones each time. */
export const drawn = sql`md5(updates.device_id || updates.deployment_id::text)`

/**
 * Of the main version: whether the device ran it after that instant and before this update, by an update of then. What it did
 * meanwhile tells nothing of the time without the version. Where it is not known when it went back, it may have.
 */
const hasRunAfter = (
  workspaceId: string,
  deploymentId: string,
  instant: RawBuilder<unknown>,
) => sql<boolean>`(
  coalesce(updates.fell_back_at > ${instant}, false) or exists (
    select from device_updates as earlier
    join deployment_artifacts as brought on brought.workspace_id = earlier.workspace_id
      and brought.deployment_id = earlier.deployment_id and brought.is_main
    join deployment_artifacts as artifact on artifact.workspace_id = brought.workspace_id
      and artifact.firmware_version_id = brought.firmware_version_id
    where earlier.workspace_id = ${workspaceId} and earlier.device_id = updates.device_id
      and earlier.number < updates.number and artifact.deployment_id = ${deploymentId} and artifact.is_main
      and (earlier.state = 'succeeded' or earlier.fell_back_at is not null)
      and case when earlier.state = 'succeeded' then coalesce((
          select min(later.finished_at) from device_updates as later
          where later.workspace_id = ${workspaceId} and later.device_id = updates.device_id
            and later.number > earlier.number and later.number < updates.number
            and later.state = 'succeeded'), 'infinity')
        else earlier.fell_back_at end > ${instant}))`

export interface UpdatedDevice {
  deviceId: string
  at: Date
  /** It ran the version already within its window before. */
  ranIt: boolean
}

export async function listUpdatedDevices(
  db: Db,
  { workspaceId, deploymentId }: DeploymentKey,
  { until, since, windowSeconds, limit }: UpdatedSince & { windowSeconds: number; limit: number },
): Promise<UpdatedDevice[]> {
  const before = sql`updates.finished_at - make_interval(secs => ${windowSeconds})`
  const { rows } = await sql<UpdatedDevice>`
    select updates.device_id, updates.finished_at as at, ${hasRunAfter(workspaceId, deploymentId, before)} as ran_it
    from (select device_id, deployment_id, number, finished_at, fell_back_at from device_updates as updates
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = ${deploymentId}
      and updates.state = 'succeeded' and updates.finished_at <= ${until}
      and (${since}::timestamptz is null or updates.finished_at > ${since})
      and not ${hasRunBefore(workspaceId, deploymentId)}
    order by ${drawn} limit ${limit}) as updates
    order by ${drawn}`.execute(db)
  return rows
}

/** Devices whose phase has not begun, and whether they ran the version after that instant. */
export async function listWaitingDevices(
  db: Db,
  { workspaceId, deploymentId }: DeploymentKey,
  { after, limit }: { after: Date; limit: number },
): Promise<Omit<UpdatedDevice, 'at'>[]> {
  const instant = sql`${after}::timestamptz`
  const { rows } = await sql<Omit<UpdatedDevice, 'at'>>`
    select updates.device_id, ${hasRunAfter(workspaceId, deploymentId, instant)} as ran_it
    from (select device_id, deployment_id, number, finished_at, fell_back_at from device_updates as updates
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = ${deploymentId}
      and updates.state = 'pending' and updates.released_at is null
      and not ${hasRunBefore(workspaceId, deploymentId)}
    order by ${drawn} limit ${limit}) as updates
    order by ${drawn}`.execute(db)
  return rows
}

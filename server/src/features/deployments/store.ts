import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { DeploymentEvent } from './events.ts'
import type { PassedGate, StoredGate } from './gate.ts'
import type { MaintenanceWindow, Phase, PhasedDeployment } from './phases.ts'
import type { DeviceStateCounts } from './device-updates/state.ts'
import type { StoredPhaseComparison } from '../comparisons/index.ts'

export const DEPLOYMENT_STATES = [
  'Scheduled',
  'Running',
  'Paused',
  'Stopped',
  'Superseded',
  'Cancelled',
] as const
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number]

/** How the deployment is offered to devices. */
export interface DeploymentOptions {
  /** hawkBit clients install at once instead of choosing the time themselves. */
  forced: boolean
  maintenanceWindow: MaintenanceWindow | null
  /** hawkBit clients wait for the consent of their user. */
  confirmationRequired: boolean
}

export interface DeploymentRow extends PhasedDeployment {
  id: string
  name: string
  cohortId: string
  createdAt: Date
  createdByEmail: string | null
  isActive: boolean
  state: DeploymentState
  stateReason: string | null
  endedAt: Date | null
  predecessorId: string | null
  rollbackOfId: string | null
  restoresId: string | null
  note: string | null
  phases: Phase[]
  options: DeploymentOptions
  deviceDeadlineSeconds: number
  maxAttempts: number
  gate: StoredGate | null
  pending: number
  inProgress: number
  succeeded: number
  failed: number
  cancelled: number
  artifacts: DeploymentArtifact[]
  events: DeploymentEvent[]
  endedDeviceCounts: DeviceStateCounts | null
  comparisons: StoredPhaseComparison[] | null
}

export interface DeploymentArtifact {
  id: string
  order: number
  firmware: {
    isMain: boolean
    slug: string
    firmwareVersion: { id: string; name: string; firmware: { id: string; name: string } }
  }
}

const deploymentArtifacts = (workspaceId: string) => sql<DeploymentArtifact[]>`(
  select json_agg(json_build_object('id', artifact.id, 'order', artifact.position, 'firmware', json_build_object(
    'isMain', artifact.is_main, 'slug', firmware.slug, 'firmwareVersion', json_build_object(
      'id', version.id, 'name', version.name, 'firmware',
      json_build_object('id', firmware.id, 'name', firmware.name)))) order by artifact.position)
  from deployment_artifacts as artifact
  join firmware_versions as version
    on version.workspace_id = artifact.workspace_id and version.id = artifact.firmware_version_id
  join firmwares as firmware
    on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
  where artifact.workspace_id = ${workspaceId} and artifact.deployment_id = deployment.id)`

/** Those of deployments from before there were comparisons have no such member. */
const phasesOf = sql<Phase[]>`(
  select coalesce(jsonb_agg('{"comparison": null}'::jsonb || each.phase order by each.place), '[]')
  from jsonb_array_elements(deployment.phases) with ordinality as each (phase, place))`

const comparisonsOf = (workspaceId: string) => sql<StoredPhaseComparison[] | null>`(
  select json_agg(json_build_object('phase', compared.phase, 'state', compared.state, 'reason', compared.reason,
    'checkedAt', compared.checked_at, 'blindTo', compared.blind_to, 'accepted', compared.accepted) order by compared.phase)
  from deployment_comparisons as compared
  where compared.workspace_id = ${workspaceId} and compared.deployment_id = deployment.id)`

function selectDeployments(db: Db, workspaceId: string) {
  return db
    .selectFrom('deployments as deployment')
    .select(['deployment.id', 'deployment.name', 'deployment.cohortId', 'deployment.createdAt'])
    .select(['deployment.createdByEmail', 'deployment.isActive', 'deployment.state'])
    .select(['deployment.stateReason', 'deployment.endedAt', 'deployment.predecessorId'])
    .select(['deployment.rollbackOfId', 'deployment.restoresId', 'deployment.startsAt'])
    .select(phasesOf.as('phases'))
    .select(['deployment.phase', 'deployment.phaseBeganAt'])
    .select(sql<DeploymentOptions>`deployment.options`.as('options'))
    .select(['deployment.startDeadlineSeconds', 'deployment.deviceDeadlineSeconds'])
    .select(['deployment.maxAttempts', 'deployment.acceptedFailures', 'deployment.note'])
    .select(sql<DeploymentEvent[]>`deployment.events`.as('events'))
    .select(sql<StoredGate | null>`deployment.gate`.as('gate'))
    .select(['deployment.pending', 'deployment.inProgress', 'deployment.succeeded'])
    .select(['deployment.failed', 'deployment.cancelled'])
    .select(sql<DeviceStateCounts | null>`deployment.ended_device_counts`.as('endedDeviceCounts'))
    .select(deploymentArtifacts(workspaceId).as('artifacts'))
    .select(comparisonsOf(workspaceId).as('comparisons'))
    .where('deployment.workspaceId', '=', workspaceId)
    .$narrowType<{ state: DeploymentState }>()
}

export interface DeploymentPage {
  cohortId: string
  limit: number
  after: { createdAt: string; id: string } | undefined
}

/** Newest first. */
export async function listDeployments(
  db: Db,
  workspaceId: string,
  { cohortId, limit, after }: DeploymentPage,
): Promise<DeploymentRow[]> {
  let query = selectDeployments(db, workspaceId).where('deployment.cohortId', '=', cohortId)
  if (after)
    query = query.where(
      sql<boolean>`(deployment.created_at, deployment.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
    )
  return query
    .orderBy('deployment.createdAt', 'desc')
    .orderBy('deployment.id', 'desc')
    .limit(limit)
    .execute()
}

export async function findDeployment(
  db: Db,
  workspaceId: string,
  { cohortId, id }: { cohortId: string; id: string },
): Promise<DeploymentRow | undefined> {
  return selectDeployments(db, workspaceId)
    .where('deployment.cohortId', '=', cohortId)
    .where('deployment.id', '=', id)
    .executeTakeFirst()
}

/** The active deployments of these cohorts. Each cohort has at most one. */
export async function findActiveDeployments(
  db: Db,
  workspaceId: string,
  cohortIds: readonly string[],
): Promise<DeploymentRow[]> {
  return selectDeployments(db, workspaceId)
    .where(sql<boolean>`deployment.cohort_id = any(${cohortIds}::uuid[])`)
    .where(sql<boolean>`deployment.is_active`)
    .orderBy('deployment.id')
    .execute()
}

export interface NewDeployment {
  workspaceId: string
  id: string
  cohortId: string
  name: string
  createdAt: Date
  createdByEmail: string | null
  state: DeploymentState
  predecessorId: string | null
  rollbackOfId: string | null
  restoresId: string | null
  note: string | null
  startsAt: Date | null
  phases: readonly Phase[]
  phaseBeganAt: Date | null
  options: DeploymentOptions
  startDeadlineSeconds: number
  deviceDeadlineSeconds: number
  maxAttempts: number
  gate: PassedGate | null
  events: readonly DeploymentEvent[]
}

export async function insertDeployment(db: Db, row: NewDeployment): Promise<void> {
  await db
    .insertInto('deployments')
    .values({
      ...row,
      isActive: true,
      phases: JSON.stringify(row.phases),
      options: JSON.stringify(row.options),
      events: JSON.stringify(row.events),
      gate: row.gate && JSON.stringify(row.gate),
    })
    .execute()
}

export interface NewArtifact {
  id: string
  firmwareVersionId: string
  isMain: boolean
}

export async function insertArtifacts(
  db: Db,
  { workspaceId, deploymentId }: { workspaceId: string; deploymentId: string },
  artifacts: readonly NewArtifact[],
): Promise<void> {
  const rows = artifacts.map((artifact, position) => ({
    workspaceId,
    deploymentId,
    position,
    ...artifact,
  }))
  await db.insertInto('deploymentArtifacts').values(rows).execute()
}

const withEvent = (event: DeploymentEvent) =>
  sql<string>`events || ${JSON.stringify([event])}::jsonb`

interface EndDeployment {
  state: DeploymentState
  stateReason: string | null
  endedAt: Date
  endedDeviceCounts: DeviceStateCounts
  event: DeploymentEvent
}

/** The caller has locked all updates of the deployment, so that its counters match the open updates. */
export async function endDeployment(
  db: Db,
  { workspaceId, id }: { workspaceId: string; id: string },
  { event, endedDeviceCounts, ...ended }: EndDeployment,
): Promise<void> {
  await db
    .updateTable('deployments')
    .set((eb) => ({
      ...ended,
      endedDeviceCounts: JSON.stringify(endedDeviceCounts),
      events: withEvent(event),
      isActive: false,
      cancelled: sql`cancelled + pending + in_progress`,
      pending: eb.lit(0),
      inProgress: eb.lit(0),
    }))
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** What people may change of a deployment until it ends. */
export type DeploymentPlan = Pick<
  NewDeployment,
  | 'name'
  | 'note'
  | 'startsAt'
  | 'phases'
  | 'options'
  | 'startDeadlineSeconds'
  | 'deviceDeadlineSeconds'
  | 'maxAttempts'
>

export async function updatePlan(
  db: Db,
  { workspaceId, id }: { workspaceId: string; id: string },
  { phases, options, ...plan }: DeploymentPlan,
): Promise<void> {
  await db
    .updateTable('deployments')
    .set({ ...plan, phases: JSON.stringify(phases), options: JSON.stringify(options) })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export interface DeploymentChange {
  state?: DeploymentState
  stateReason?: string | null
  phase?: number
  phaseBeganAt?: Date
  acceptedFailures?: number
  windowSignalledAt?: Date
  pending?: number
  event?: DeploymentEvent
}

export async function updateDeployment(
  db: Db,
  { workspaceId, id }: { workspaceId: string; id: string },
  { event, ...change }: DeploymentChange,
): Promise<void> {
  await db
    .updateTable('deployments')
    .set({ ...change, ...(event && { events: withEvent(event) }) })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteDeploymentsOfCohort(
  tx: Db,
  workspaceId: string,
  cohortId: string,
): Promise<void> {
  await sql`
    select count(*) from (
      select from device_updates as updates
      join deployments as deployment
        on deployment.workspace_id = updates.workspace_id and deployment.id = updates.deployment_id
      where updates.workspace_id = ${workspaceId} and deployment.cohort_id = ${cohortId}
      order by updates.device_id, updates.deployment_id for update of updates) as locked`.execute(
    tx,
  )
  await tx
    .deleteFrom('deployments')
    .where('workspaceId', '=', workspaceId)
    .where('cohortId', '=', cohortId)
    .execute()
}

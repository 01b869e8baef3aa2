import { sql } from 'kysely'
import type { DeploymentOptions } from '../deployments/index.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { Action, Consent } from './actions.ts'
import type { Attributes } from './attributes.ts'
import { MAX_LINES } from './feedback.ts'

export interface DeviceKey {
  workspaceId: string
  deviceId: string
}

export interface DdiDevice extends Consent {
  pollingSeconds: number
  pollingJitterPercent: number
  versionAttribute: string | null
  attributesAt: Date | null
  attributesWanted: boolean
  /** Of the last crash that its attributes named. */
  crashHash: string | null
  statesVersions: boolean
  autoConfirmAt: Date | null
  autoConfirmInitiator: string | null
  autoConfirmRemark: string | null
  /** The action of the latest feedback, and its lines. */
  feedbackNumber: number | null
  feedbackLines: readonly string[]
}

/** A device without a row has the defaults: its attributes are wanted. undefined: there is no such workspace. */
export async function findDdiDevice(
  db: Db,
  { workspaceId, deviceId }: DeviceKey,
): Promise<DdiDevice | undefined> {
  return db
    .selectFrom('workspaces as workspace')
    .leftJoin('ddiDevices as device', (join) =>
      join.on('device.workspaceId', '=', workspaceId).on('device.deviceId', '=', deviceId),
    )
    .leftJoin('devices as registered', (join) =>
      join.on('registered.workspaceId', '=', workspaceId).on('registered.id', '=', deviceId),
    )
    .leftJoin('deploymentCohorts as cohort', (join) =>
      join
        .on('cohort.workspaceId', '=', workspaceId)
        .onRef('cohort.id', '=', 'registered.cohortId'),
    )
    .select([
      'workspace.deviceVersionAttribute as versionAttribute',
      'device.attributesAt',
      'device.crashHash',
      'device.autoConfirmAt',
      'device.autoConfirmInitiator',
      'device.autoConfirmRemark',
      'device.answeredNumber',
      'device.answer',
      'device.feedbackNumber',
    ])
    .select([
      sql<number>`coalesce(cohort.polling_seconds, workspace.device_polling_seconds)`.as(
        'pollingSeconds',
      ),
      sql<number>`coalesce(cohort.polling_jitter_percent, 0)`.as('pollingJitterPercent'),
      sql<boolean>`coalesce(device.attributes_wanted, true)`.as('attributesWanted'),
      sql<boolean>`coalesce(device.states_versions, false)`.as('statesVersions'),
      sql<boolean>`device.auto_confirm_at is not null`.as('autoConfirm'),
      sql<string[]>`coalesce(device.feedback, '{}')`.as('feedbackLines'),
    ])
    .where('workspace.id', '=', workspaceId)
    .$narrowType<{ answer: 'confirmed' | 'denied' | null }>()
    .executeTakeFirst()
}

function selectActions(db: Db, { workspaceId, deviceId }: DeviceKey) {
  return db
    .selectFrom('deviceUpdates as update')
    .innerJoin('deployments as deployment', (join) =>
      join
        .onRef('deployment.workspaceId', '=', 'update.workspaceId')
        .onRef('deployment.id', '=', 'update.deploymentId'),
    )
    .select([
      'update.updateId',
      'update.deploymentId',
      'update.number',
      'update.attempt',
      'update.state',
      'update.reason',
      'update.releasedAt',
      'update.installedAt',
      'update.finishedAt',
      'update.cancelOffered',
      'deployment.options',
    ])
    .select(
      sql<boolean>`update.released_at is not null and deployment.is_active
        and (deployment.state = 'Running' or update.state = 'inProgress')`.as('isOffered'),
    )
    .select(sql<boolean>`deployment.rollback_of_id is not null`.as('isRollback'))
    .select(
      sql<string | null>`(
        select client from devices where workspace_id = ${workspaceId} and id = ${deviceId})`.as(
        'client',
      ),
    )
    .where('update.workspaceId', '=', workspaceId)
    .where('update.deviceId', '=', deviceId)
    .$narrowType<{ state: Action['state'] }>()
}

function readAction<Row extends { options: unknown }>({ options, ...row }: Row) {
  // The options were validated when the deployment was created.
  const {
    forced = true,
    maintenanceWindow = null,
    confirmationRequired = false,
  } = options as Partial<DeploymentOptions>
  return { ...row, options: { forced, maintenanceWindow, confirmationRequired } }
}

/** Open actions, and cancelled ones that ended after `since` and are not acknowledged. Oldest first. */
export async function listOpenActions(db: Db, device: DeviceKey, since: Date): Promise<Action[]> {
  const rows = await selectActions(db, device)
    .where(
      sql<boolean>`(update.state in ('pending', 'inProgress')
        or (update.state = 'cancelled' and update.cancel_offered and update.finished_at > ${since}))`,
    )
    .orderBy('update.number')
    .execute()
  return rows.map(readAction)
}

export async function findAction(
  db: Db,
  device: DeviceKey,
  number: number,
): Promise<Action | undefined> {
  const row = await selectActions(db, device).where('update.number', '=', number).executeTakeFirst()
  return row && readAction(row)
}

/** The newest action number of the device, including earlier attempts. */
export async function findNewestNumber(
  db: Db,
  { workspaceId, deviceId }: DeviceKey,
): Promise<number> {
  const row = await db
    .selectFrom('deviceUpdates')
    .select('number')
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.number ?? 0
}

export async function findInstalledNumber(
  db: Db,
  { workspaceId, deviceId }: DeviceKey,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('deviceUpdates')
    .select('number')
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .where('state', '=', 'succeeded')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.number
}

export async function listRunning(
  db: Db,
  { workspaceId, deviceId }: DeviceKey,
): Promise<{ slug: string; version: string }[]> {
  return db
    .selectFrom('deviceFirmwares')
    .select(['slug', 'version'])
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .execute()
}

/** Locks and reads the attributes, so that concurrent reports are merged one after the other. */
export async function lockAttributes(
  tx: Tx,
  { workspaceId, deviceId }: DeviceKey,
): Promise<Attributes> {
  await tx
    .insertInto('ddiDevices')
    .values({ workspaceId, deviceId })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'deviceId']).doNothing())
    .execute()
  const { attributes } = await tx
    .selectFrom('ddiDevices')
    .select('attributes')
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .forUpdate()
    .$narrowType<{ attributes: Record<string, string> }>()
    .executeTakeFirstOrThrow()
  return attributes
}

interface DdiDeviceChange {
  attributes?: string
  statesVersions?: boolean
  attributesAt?: Date | null
  crashHash?: string
  attributesWanted?: boolean
  autoConfirmAt?: Date | null
  autoConfirmInitiator?: string | null
  autoConfirmRemark?: string | null
  answeredNumber?: number
  answer?: 'confirmed' | 'denied'
  answerDetails?: string | null
}

export async function upsertDdiDevice(
  db: Db,
  { workspaceId, deviceId }: DeviceKey,
  change: DdiDeviceChange,
): Promise<void> {
  await db
    .insertInto('ddiDevices')
    .values({ workspaceId, deviceId, ...change })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'deviceId']).doUpdateSet(change))
    .execute()
}

/** Appends lines to the stored feedback of an action, and keeps the last ones. */
export async function addFeedbackLines(
  db: Db,
  { workspaceId, deviceId }: DeviceKey,
  { number, lines }: { number: number; lines: readonly string[] },
): Promise<void> {
  if (lines.length === 0) return
  await sql`
    insert into ddi_devices as device (workspace_id, device_id, feedback_number, feedback)
    values (${workspaceId}, ${deviceId}, ${number}, ${lines}::text[])
    on conflict (workspace_id, device_id) do update set
      feedback_number = excluded.feedback_number,
      feedback = case when device.feedback_number = excluded.feedback_number
        then (device.feedback || excluded.feedback)[greatest(1, cardinality(device.feedback || excluded.feedback) - ${MAX_LINES - 1}::integer):]
        else excluded.feedback end`.execute(db)
}

/**
 * The firmware of a version without a slug: the main one of the device's active deployment, else the only one that it
 * ran, else the only one of the workspace.
 */
export async function findOnlyFirmware(
  db: Db,
  { workspaceId, deviceId }: DeviceKey,
): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string }>`
    select slug from (
      select 1 as rank, firmware.slug
      from devices as device
      join deployments as deployment
        on deployment.workspace_id = device.workspace_id and deployment.cohort_id = device.cohort_id
        and deployment.is_active
      join deployment_artifacts as held
        on held.workspace_id = deployment.workspace_id and held.deployment_id = deployment.id and held.is_main
      join firmware_versions as version
        on version.workspace_id = held.workspace_id and version.id = held.firmware_version_id
      join firmwares as firmware
        on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
      where device.workspace_id = ${workspaceId} and device.id = ${deviceId}
      union all
      select 2, min(slug) from device_firmwares
      where workspace_id = ${workspaceId} and device_id = ${deviceId} and slug <> ''
      having count(*) = 1
      union all
      select 3, min(slug) from firmwares where workspace_id = ${workspaceId} having count(*) = 1
    ) as candidates
    order by rank limit 1`.execute(db)
  return rows[0]?.slug
}

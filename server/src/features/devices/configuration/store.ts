import { sql } from 'kysely'
import type { LogSeverity } from '../../../formats/device-messages/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { ReportedConfiguration } from './configuration.ts'

interface CohortLevel {
  id: string
  name: string
  /** null: as the workspace has it. */
  logSeverity: LogSeverity | null
}

const acknowledgedVersion = sql<number | null>`
  (device.reported_configuration->>'acknowledgedDesiredConfigurationVersion')::bigint`

/** What a device has from its cohort; null: it is in none, or that one leaves it to the workspace. */
const cohortValue = (workspaceId: string) => sql<LogSeverity | null>`(
  select cohort.log_severity from deployment_cohorts as cohort
  where cohort.workspace_id = ${workspaceId} and cohort.id = device.cohort_id)`

/**
 * As stored. `logSeverity` is the device's own value. What changed later, of its cohort or the workspace, is not in
 * `effective`.
 */
export async function listDesiredConfigurations(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
) {
  return db
    .selectFrom('devices as device')
    .innerJoin('workspaces as workspace', 'workspace.id', 'device.workspaceId')
    .select(['device.id', 'device.desiredLogSeverity as logSeverity'])
    .select(['device.effectiveLogSeverity as effective', 'device.desiredVersion as version'])
    .select([acknowledgedVersion.as('acknowledgedVersion'), 'workspace.defaultLogSeverity'])
    .select(
      sql<CohortLevel | null>`(
        select json_build_object('id', cohort.id, 'name', cohort.name, 'logSeverity', cohort.log_severity)
        from deployment_cohorts as cohort
        where cohort.workspace_id = ${workspaceId} and cohort.id = device.cohort_id)`.as('cohort'),
    )
    .select((eb) => eb.fn.coalesce('device.desiredChangedAt', 'device.createdAt').as('changedAt'))
    .select(
      sql<boolean>`exists (
        select from device_key_rotations as rotation
        where rotation.workspace_id = ${workspaceId} and rotation.device_id = device.id and rotation.done_at is null)`.as(
        'isAskedForKey',
      ),
    )
    .where('device.workspaceId', '=', workspaceId)
    .where(sql<boolean>`device.id = any(${deviceIds}::text[])`)
    .$narrowType<{ logSeverity: LogSeverity | null; effective: LogSeverity }>()
    .$narrowType<{ defaultLogSeverity: LogSeverity }>()
    .execute()
}

export async function findDefaultLogSeverity(
  db: Db,
  workspaceId: string,
): Promise<LogSeverity | undefined> {
  const row = await db
    .selectFrom('workspaces')
    .select('defaultLogSeverity')
    .where('id', '=', workspaceId)
    .$narrowType<{ defaultLogSeverity: LogSeverity }>()
    .executeTakeFirst()
  return row?.defaultLogSeverity
}

/** Those there are, in the order of their ids, locked. */
export async function lockDesiredConfigurations(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
) {
  return tx
    .selectFrom('devices')
    .select(['id', 'desiredLogSeverity as logSeverity', 'desiredVersion as version'])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${deviceIds}::text[])`)
    .orderBy('id')
    .$narrowType<{ logSeverity: LogSeverity | null }>()
    .forNoKeyUpdate()
    .execute()
}

/** Takes shared locks: the values of the devices' cohorts do not change until the transaction ends. Lock the devices first. */
export async function shareCohortsOfDevices(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    select count(*) from (
      select from deployment_cohorts as cohort
      where cohort.workspace_id = ${workspaceId} and cohort.id in (
        select device.cohort_id from devices as device
        where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[]))
      order by cohort.id for share) as locked`.execute(tx)
}

interface ConfigurationChange {
  deviceIds: readonly string[]
  /** The own value of the devices. undefined: each keeps its own. */
  logSeverity?: LogSeverity | null
  defaultLogSeverity: LogSeverity
  at: Date
}

/**
 * Stores the desired configuration of locked devices. A changed effective value makes a new version. Answers the written
 * devices; devices without a change are not written.
 */
export async function updateDesiredConfigurations(
  tx: Db,
  workspaceId: string,
  { deviceIds, logSeverity, defaultLogSeverity, at }: ConfigurationChange,
) {
  const own =
    logSeverity === undefined ? sql`device.desired_log_severity` : sql`${logSeverity}::text`
  const { rows } = await sql<{ id: string; version: number; isEffective: boolean }>`
    with wanted as (
      select id, own, effective, effective_log_severity <> effective as is_effective
      from (
        select device.id, device.desired_log_severity, device.effective_log_severity, ${own} as own,
          coalesce(${own}, ${cohortValue(workspaceId)}, ${defaultLogSeverity}) as effective
        from devices as device
        where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])) as each
      where effective_log_severity <> effective or desired_log_severity is distinct from own
    )
    update devices set desired_log_severity = wanted.own, effective_log_severity = wanted.effective,
      desired_version = desired_version + wanted.is_effective::int, desired_changed_at = ${at}
    from wanted
    where devices.workspace_id = ${workspaceId} and devices.id = wanted.id
    returning devices.id, devices.desired_version as version, wanted.is_effective`.execute(tx)
  return rows
}

/** The type holds, as only updateReportedConfigurations writes the column. */
const reportedConfiguration = sql<ReportedConfiguration | null>`reported_configuration`

export async function findReportedConfiguration(db: Db, workspaceId: string, deviceId: string) {
  return db
    .selectFrom('devices')
    .select(reportedConfiguration.as('reported'))
    .select(['reportedConfigurationVersion as version', 'reportedConfigurationAt as reportedAt'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', deviceId)
    .executeTakeFirst()
}

/** The rows have to be locked. */
export async function listReportedConfigurations(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
) {
  return tx
    .selectFrom('devices')
    .select(['id', 'desiredVersion'])
    .select(reportedConfiguration.as('reported'))
    .where('workspaceId', '=', workspaceId)
    .where('id', 'in', [...deviceIds])
    .execute()
}

/** In id order. */
export async function updateReportedConfigurations(
  tx: Db,
  workspaceId: string,
  changed: readonly { id: string; reported: ReportedConfiguration; at: Date }[],
): Promise<void> {
  await sql`
    update devices set reported_configuration = changed.reported, reported_configuration_at = changed.at,
      reported_configuration_version = reported_configuration_version + 1
    from json_to_recordset(${JSON.stringify(changed)}::json) as changed (id text, reported jsonb, at timestamptz(3))
    where devices.workspace_id = ${workspaceId} and devices.id = changed.id`.execute(tx)
}

import { sql } from 'kysely'
import type { LogSeverity } from '../../../formats/device-messages/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { ReportedConfiguration } from './configuration.ts'

interface Row {
  id: string
  /** Its own value. */
  logSeverity: LogSeverity | null
  effective: LogSeverity
  version: number
  acknowledgedVersion: number | null
  changedAt: Date
  defaultLogSeverity: LogSeverity
}

/** As written down; a workspace default changed since is not in it yet. */
export async function listDesiredConfigurations(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select device.id, device.desired_log_severity as log_severity, device.effective_log_severity as effective,
      device.desired_version as version,
      (device.reported_configuration->>'acknowledgedDesiredConfigurationVersion')::bigint as acknowledged_version,
      coalesce(device.desired_changed_at, device.created_at) as changed_at, workspace.default_log_severity
    from devices as device join workspaces as workspace on workspace.id = device.workspace_id
    where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])`.execute(
    db,
  )
  return rows
}

/** Shared with others who hold devices to it; it does not change until the transaction ends. Before any device's row. */
export async function shareDefaultLogSeverity(
  tx: Db,
  workspaceId: string,
): Promise<LogSeverity | undefined> {
  const { rows } = await sql<{ defaultLogSeverity: LogSeverity }>`
    select default_log_severity from workspaces where id = ${workspaceId} for share`.execute(tx)
  return rows[0]?.defaultLogSeverity
}

/** Those there are, in the order of their ids, locked. */
export async function lockDesiredConfigurations(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
) {
  const { rows } = await sql<{ id: string; logSeverity: LogSeverity | null; version: number }>`
    select id, desired_log_severity as log_severity, desired_version as version
    from devices where workspace_id = ${workspaceId} and id = any(${deviceIds}::text[])
    order by id for no key update`.execute(tx)
  return rows
}

interface Written {
  deviceIds: readonly string[]
  /** Their own value; undefined: each keeps its own. */
  logSeverity?: LogSeverity | null
  defaultLogSeverity: LogSeverity
  at: Date
}

/**
 * Writes down what is desired of locked devices; answers those whose effective value changed, and so their version.
 * Others are not touched unless their own value changed.
 */
export async function updateDesiredConfigurations(
  tx: Db,
  workspaceId: string,
  { deviceIds, logSeverity, defaultLogSeverity, at }: Written,
) {
  const own =
    logSeverity === undefined ? sql`device.desired_log_severity` : sql`${logSeverity}::text`
  const { rows } = await sql<{ id: string; version: number; isEffective: boolean }>`
    with wanted as (
      select device.id, ${own} as own, coalesce(${own}, ${defaultLogSeverity}) as effective,
        device.effective_log_severity <> coalesce(${own}, ${defaultLogSeverity}) as is_effective
      from devices as device
      where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])
        and (device.effective_log_severity <> coalesce(${own}, ${defaultLogSeverity})
          or device.desired_log_severity is distinct from ${own})
    )
    update devices set desired_log_severity = wanted.own, effective_log_severity = wanted.effective,
      desired_version = desired_version + wanted.is_effective::int, desired_changed_at = ${at}
    from wanted
    where devices.workspace_id = ${workspaceId} and devices.id = wanted.id
    returning devices.id, devices.desired_version as version, wanted.is_effective`.execute(tx)
  return rows
}

/** Only updateReportedConfigurations writes it. */
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

/** Of devices whose rows the caller holds. */
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

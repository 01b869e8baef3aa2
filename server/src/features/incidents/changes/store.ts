/** What else happened to the devices of an incident around its beginning. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

export interface RunRow {
  slug: string
  version: string
  firmwareVersionId: string | null
}

/** What devices run now, by the id of the device. */
export async function listRuns(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Map<string, RunRow[]>> {
  if (deviceIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('deviceFirmwares')
    .select(['deviceId', 'slug', 'version', 'firmwareVersionId'])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${deviceIds}::text[])`)
    .orderBy('slug')
    .execute()
  const runs = new Map<string, RunRow[]>()
  for (const { deviceId, ...run } of rows) runs.set(deviceId, [...(runs.get(deviceId) ?? []), run])
  return runs
}

export const CHANGE_KINDS = ['Firmware', 'Deployment', 'Configuration', 'Incident'] as const

export interface ChangeRow {
  kind: (typeof CHANGE_KINDS)[number]
  /** The first and the last device. */
  firstAt: Date
  lastAt: Date
  deviceCount: number
  /** The first ones by id. */
  deviceIds: string[]
  /** The id of the firmware version, the cohort's deployment, or the incident. null: it has none. */
  id: string | null
  deploymentCohortId: string | null
  /** `gateway 4.5.0`, or the name of the deployment or rule. null: it has none. */
  name: string | null
  /** What became of the deployment on these devices. */
  state: string | null
}

interface Asked {
  incidentId: string
  ruleId: string
  from: Date
  to: Date
  limit: number
}

const MOST_NAMED = 3

/** The newest first. */
export async function listChanges(
  db: Db,
  workspaceId: string,
  { incidentId, ruleId, from, to, limit }: Asked,
): Promise<ChangeRow[]> {
  const within = (at: string) => sql`${sql.ref(at)} >= ${from} and ${sql.ref(at)} <= ${to}`
  const grouped = (at: string, device: string) => sql`
    min(${sql.ref(at)}) as first_at, max(${sql.ref(at)}) as last_at, count(distinct ${sql.ref(device)})::int as device_count,
    (array_agg(distinct ${sql.ref(device)}))[1:${sql.lit(MOST_NAMED)}] as device_ids`
  const { rows } = await sql<ChangeRow>`
    with fired as materialized (
      select distinct series from alert_series where workspace_id = ${workspaceId} and incident_id = ${incidentId}
    ), changes as (
      select 'Firmware' as kind, ${grouped('runs.since', 'runs.device_id')}, runs.firmware_version_id as id,
        null::uuid as deployment_cohort_id, concat_ws(' ', nullif(runs.slug, ''), runs.version) as name, null as state
      from device_firmwares as runs join fired on fired.series = runs.device_id
      where runs.workspace_id = ${workspaceId} and ${within('runs.since')}
      group by runs.slug, runs.version, runs.firmware_version_id
      union all
      select 'Deployment', ${grouped('moved.at', 'moved.device_id')}, deployment.id, deployment.cohort_id, deployment.name, moved.state
      from (
        select device_id, deployment_id, state, coalesce(finished_at, installed_at, started_at) as at
        from device_updates join fired on fired.series = device_updates.device_id where workspace_id = ${workspaceId}
      ) as moved
      join deployments as deployment on deployment.workspace_id = ${workspaceId} and deployment.id = moved.deployment_id
      where ${within('moved.at')}
      group by deployment.id, deployment.cohort_id, deployment.name, moved.state
      union all
      select 'Configuration', ${grouped('device.desired_changed_at', 'device.id')}, null, null, null, null
      from devices as device join fired on fired.series = device.id
      where device.workspace_id = ${workspaceId} and ${within('device.desired_changed_at')}
      having count(*) > 0
      union all
      select 'Incident', ${grouped('other.began_at', 'shared.series')}, other.id, null, other.rule_name, null
      from alert_incidents as other
      join alert_series as shared on shared.workspace_id = ${workspaceId} and shared.incident_id = other.id
      join fired on fired.series = shared.series
      where other.workspace_id = ${workspaceId} and other.id <> ${incidentId} and ${within('other.began_at')}
        and (other.rule_id = ${ruleId} or other.rule_type in ('DeviceOffline', 'MetricFixedThreshold', 'MetricPercentualThreshold'))
      group by other.id, other.rule_name
    )
    select kind, first_at, last_at, device_count, device_ids, id, deployment_cohort_id, name, state
    from changes order by last_at desc, kind, id limit ${limit}`.execute(db)
  return rows
}

/** What the overview shows besides findings and exposure: few rows each, from kept counts and small tables. */
import { sql } from 'kysely'
import { SEVERITIES, type Severity } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { FailedSboms, StalledDeployment } from './needs.ts'

export interface FieldedVersion {
  id: string
  name: string
  firmware: { id: string; name: string; slug: string }
  devices: number
  exploited: number
  counts: Record<Lowercase<Severity>, number>
}

/** The counters of a version, as values of a JSON object by severity. */
export const severityCounts = sql.join(
  SEVERITIES.flatMap((severity) => {
    const name = severity.toLowerCase()
    return [sql.lit(name), sql`coalesce(${sql.ref(`counters.${name}`)}, 0)`]
  }),
)

/** Those that devices run first: exploited, then critical without a decision, then on most devices. */
export async function listRiskiestVersions(
  db: Db,
  workspaceId: string,
  limit: number,
): Promise<FieldedVersion[]> {
  const { rows } = await sql<FieldedVersion>`
    with running as (
      select running.id, sum(sets.devices)::int as devices
      from firmware_set_device_counts as sets cross join unnest(sets.firmware_version_ids) as running (id)
      where sets.workspace_id = ${workspaceId} and sets.devices > 0
      group by running.id
    ), chosen as materialized (
      select version.id, version.name, version.firmware_id, running.devices
      from firmware_versions as version
      left join running on running.id = version.id
      left join firmware_version_counters as counters
        on counters.workspace_id = version.workspace_id and counters.firmware_version_id = version.id
      where version.workspace_id = ${workspaceId}
      order by running.devices is not null desc, coalesce(counters.exploited, 0) > 0 desc,
        coalesce(counters.undecided_critical, 0) > 0 desc, coalesce(running.devices, 0) desc,
        coalesce(counters.critical, 0) desc, coalesce(counters.high, 0) desc, version.id desc
      limit ${limit}
    ), placed as (select chosen.*, row_number() over () as place from chosen)
    select version.id, version.name,
      json_build_object('id', firmware.id, 'name', firmware.name, 'slug', firmware.slug) as firmware,
      coalesce(version.devices, 0) as devices, coalesce(counters.exploited, 0) as exploited,
      json_build_object(${severityCounts}) as counts
    from placed as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join firmware_version_counters as counters
      on counters.workspace_id = ${workspaceId} and counters.firmware_version_id = version.id
    order by version.place`.execute(db)
  return rows
}

export interface DailyDevices {
  /** The id of the version, or of the firmware. */
  id: string
  day: string
  devices: number
}

interface DailyDevicesAsked {
  workspaceId: string
  days: readonly string[]
  /** These versions, one by one; 'Firmware': all versions, by firmware. */
  of: readonly string[] | 'Firmware'
}

/** Lists those of these days that have data, oldest first. A device runs one version of a firmware. */
export async function listDailyDevices(
  db: Db,
  { workspaceId, days, of }: DailyDevicesAsked,
): Promise<DailyDevices[]> {
  const [id, meant] =
    of === 'Firmware'
      ? [
          sql`version.firmware_id`,
          sql`join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = running.id
            where true`,
        ]
      : [
          sql`running.id`,
          sql`where each.firmware_version_ids && ${of}::uuid[] and running.id = any(${of}::uuid[])`,
        ]
  const { rows } = await sql<DailyDevices>`
    select ${id} as id, each.day::text, sum(each.devices)::int as devices
    from firmware_set_daily_devices as each cross join unnest(each.firmware_version_ids) as running (id)
    ${meant} and each.workspace_id = ${workspaceId} and each.day = any(${days}::date[])
    group by ${id}, each.day order by each.day`.execute(db)
  return rows
}

/** Differs once findings or decisions of the workspace changed. */
export async function readFindingState(db: Db, workspaceId: string): Promise<string> {
  const { rows } = await sql<{ state: string }>`
    select concat_ws(' ', max(evaluated_at), count(*), sum(exploited), sum(undecided_critical), sum(critical)) as state
    from firmware_version_counters where workspace_id = ${workspaceId}`.execute(db)
  return rows[0]?.state ?? ''
}

export interface PastExposure {
  day: string
  exploited: number
}

/** The newest stored day of those at least a week, at most ten days ago. */
export async function findExposureOfWeekAgo(
  db: Db,
  workspaceId: string,
  at: Date,
): Promise<PastExposure | undefined> {
  const today = sql`(${at}::timestamptz at time zone 'UTC')::date`
  const { rows } = await sql<PastExposure>`
    select day::text, coalesce(sum(devices) filter (where exploited), 0)::int as exploited
    from firmware_set_daily_devices
    where workspace_id = ${workspaceId} and day between ${today} - 10 and ${today} - 7
    group by day order by firmware_set_daily_devices.day desc limit 1`.execute(db)
  return rows[0]
}

const MOST_DEPLOYMENTS = 5

/** Active ones that hand out no updates until somebody decides. `total`: also those that are not listed. */
export async function listStalledDeployments(
  db: Db,
  workspaceId: string,
): Promise<(StalledDeployment & { total: number })[]> {
  const { rows } = await sql<StalledDeployment & { total: number }>`
    select count(*) over ()::int as total, deployment.id, deployment.cohort_id, cohort.name as cohort_name, deployment.name, deployment.state,
      deployment.state_reason, deployment.pending + deployment.in_progress + deployment.failed as unfinished
    from deployments as deployment
    join deployment_cohorts as cohort
      on cohort.workspace_id = deployment.workspace_id and cohort.id = deployment.cohort_id
    where deployment.workspace_id = ${workspaceId} and deployment.is_active
      and deployment.state in ('Stopped', 'Paused')
    order by unfinished desc, deployment.id limit ${MOST_DEPLOYMENTS}`.execute(db)
  return rows
}

const MOST_FAILED = 10

/** By version, those of the newest failures first. */
export async function listFailedSboms(db: Db, workspaceId: string): Promise<FailedSboms[]> {
  const { rows } = await sql<FailedSboms>`
    select count(*)::int as count, (array_agg(sbom.id order by sbom.id desc))[1] as sbom_id,
      (array_agg(sbom.file_name order by sbom.id desc))[1] as file_name,
      version.id as firmware_version_id, version.name as version_name, firmware.name as firmware_name
    from sboms as sbom
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = sbom.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where sbom.workspace_id = ${workspaceId} and sbom.parsing_state = 'Failed'
    group by version.id, version.name, firmware.name
    order by sbom_id desc limit ${MOST_FAILED}`.execute(db)
  return rows
}

export interface Totals {
  devices: number
  firmwareVersions: number
  hasSbom: boolean
  hasDecision: boolean
  hasDeployment: boolean
}

export async function readTotals(db: Db, workspaceId: string): Promise<Totals> {
  const { rows } = await sql<Totals>`
    select (select count(*)::int from devices where workspace_id = ${workspaceId}) as devices,
      (select count(*)::int from firmware_versions where workspace_id = ${workspaceId}) as firmware_versions,
      exists (select from sboms where workspace_id = ${workspaceId} and parsing_state = 'Succeeded') as has_sbom,
      exists (select from finding_decisions where workspace_id = ${workspaceId}) as has_decision,
      exists (select from deployments where workspace_id = ${workspaceId}) as has_deployment`.execute(
    db,
  )
  const [totals] = rows
  if (!totals) throw new Error('The statement answers one row.')
  return totals
}

/** Devices that run one of the versions now, each once, and which of the versions any does. */
export async function countRunning(
  db: Db,
  { workspaceId, firmwareVersionIds }: { workspaceId: string; firmwareVersionIds: string[] },
): Promise<{ devices: number; firmwareVersionIds: string[] }> {
  const { rows } = await sql<{ devices: number; firmwareVersionIds: string[] }>`
    select count(distinct running.device_id)::int as devices,
      coalesce(array_agg(distinct running.firmware_version_id), '{}') as firmware_version_ids
    from device_firmwares as running
    where running.workspace_id = ${workspaceId} and running.firmware_version_id = any(${firmwareVersionIds}::uuid[])`.execute(
    db,
  )
  return rows[0] ?? { devices: 0, firmwareVersionIds: [] }
}

/** The devices of a workspace by the worst finding of what they run: now, and at the end of each day. */
import { type RawBuilder, sql } from 'kysely'
import { CLOSED_ASSESSMENTS, isActiveSql } from '../../../formats/assessments.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { WORST_SEVERITY } from '../../devices/index.ts'
import { selectVersions } from '../../firmware/index.ts'
import type { DeviceRisk } from './worst.ts'

const selectDay = (at: Date) => sql`(${at}::timestamptz at time zone 'UTC')::date`

/**
 * `sets (firmware_version_ids, devices)`, with what is worst in each. A version of which nothing is known has no components. Without
 * findings, one that has a component of which nothing can be told is not judged.
 */
const withRisks = (workspaceId: string, sets: RawBuilder<unknown>) => sql`
  select sets.firmware_version_ids, sets.devices, risk.worst, risk.exploited
  from ${sets} as sets
  cross join lateral (
    select coalesce(bool_or(counters.exploited > 0), false) as exploited, case ${WORST_SEVERITY}
      when coalesce(min(counters.judged_components), 0) = 0 or max(counters.silent_components) > 0
        or count(*) < cardinality(sets.firmware_version_ids) then 'NotJudged' else 'Clean' end as worst
    from unnest(sets.firmware_version_ids) as running (id)
    join firmware_version_counters as counters
      on counters.workspace_id = ${workspaceId} and counters.firmware_version_id = running.id
  ) as risk`

/**
 * The sets of versions that devices run now, from kept counts. The devices that are in none of them run no version that is known here:
 * they are the empty set, which is not judged.
 */
const presentSets = (workspaceId: string) =>
  withRisks(
    workspaceId,
    sql`(
      with known as materialized (
        select firmware_version_ids, devices from firmware_set_device_counts
        where workspace_id = ${workspaceId} and devices > 0
      ), unknown as (
        select (select count(*) from devices where workspace_id = ${workspaceId})::int
          - (select coalesce(sum(devices), 0) from known)::int as devices)
      select firmware_version_ids, devices from known
      union all
      select '{}'::uuid[], devices from unknown where devices > 0)`,
  )

const KEPT_DAYS = 800

/**
 * The last state of a day stands for it. What has not changed is not written again, and old days are deleted. No two parts of
 * the statement touch the same row.
 */
export async function writeDailyDevices(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
): Promise<void> {
  await sql`
    with present as materialized (${presentSets(workspaceId)}), old as (
      delete from firmware_set_daily_devices
      where workspace_id = ${workspaceId} and day < ${selectDay(at)} - ${KEPT_DAYS}::int
    ), ended as (
      delete from firmware_set_daily_devices as stored
      where stored.workspace_id = ${workspaceId} and stored.day = ${selectDay(at)}
        and not exists (select from present where present.firmware_version_ids = stored.firmware_version_ids)
    )
    insert into firmware_set_daily_devices as stored (workspace_id, day, firmware_version_ids, devices, worst, exploited)
    select ${workspaceId}, ${selectDay(at)}, present.* from present
    order by present.firmware_version_ids
    on conflict (workspace_id, day, firmware_version_ids) do update
      set devices = excluded.devices, worst = excluded.worst, exploited = excluded.exploited
    where (stored.devices, stored.worst, stored.exploited)
      is distinct from (excluded.devices, excluded.worst, excluded.exploited)`.execute(db)
}

const summed = (sets: RawBuilder<unknown>) => sql<DeviceRisk>`
  select worst, sum(devices)::int as devices, coalesce(sum(devices) filter (where exploited), 0)::int as exploited
  from (${sets}) as each group by worst`

export async function readPresentRisks(db: Db, workspaceId: string): Promise<DeviceRisk[]> {
  const { rows } = await summed(presentSets(workspaceId)).execute(db)
  return rows
}

export interface DeviceSet {
  firmwareVersionIds: readonly string[]
  /** Negative: that many devices fewer. */
  devices: number
}

/** What is worst of devices that run these versions. */
export async function readDeviceRisks(
  db: Db,
  workspaceId: string,
  sets: readonly DeviceSet[],
): Promise<DeviceRisk[]> {
  const given = sql`(
    select array(select json_array_elements_text(each."firmwareVersionIds")::uuid) as firmware_version_ids, each.devices
    from json_to_recordset(${JSON.stringify(sets)}::json) as each ("firmwareVersionIds" json, devices integer))`
  const { rows } = await summed(withRisks(workspaceId, given)).execute(db)
  return rows
}

export interface ExposureQuery {
  workspaceId: string
  /** The first day, and the present instant, whose day is the last. */
  since: Date
  at: Date
  firmwareId: string | undefined
}

/** `each (day, firmware_version_ids, devices, worst, exploited)`: days that were counted, today as it is now. */
const dailySets = ({ workspaceId, since, at }: ExposureQuery) => sql`(
  select day, firmware_version_ids, devices, worst, exploited from firmware_set_daily_devices
  where workspace_id = ${workspaceId} and day >= ${selectDay(since)} and day < ${selectDay(at)}
  union all
  select ${selectDay(at)}, present.* from (${presentSets(workspaceId)}) as present)`

/** Whether `each` runs the firmware that was asked for. */
const isMeant = ({ workspaceId, firmwareId }: ExposureQuery) =>
  firmwareId === undefined
    ? sql`true`
    : sql`each.firmware_version_ids && array(
        select version.id from firmware_versions as version
        where version.workspace_id = ${workspaceId} and version.firmware_id = ${firmwareId})`

export type DayRisk = DeviceRisk & { day: string }

/** A row for each day that was counted and each worst that devices of the workspace had on it, also where none of them is meant. */
export async function listDailyRisks(db: Db, query: ExposureQuery): Promise<DayRisk[]> {
  const { rows } = await sql<DayRisk>`
    select each.day::text, each.worst,
      coalesce(sum(each.devices) filter (where ${isMeant(query)}), 0)::int as devices,
      coalesce(sum(each.devices) filter (where each.exploited and ${isMeant(query)}), 0)::int as exploited
    from ${dailySets(query)} as each
    group by each.day, each.worst order by each.day`.execute(db)
  return rows
}

/** By day, the devices that ran an active finding of the vulnerability when the day ended. Days without any are left out. */
export async function listAffectedDays(
  db: Db,
  query: ExposureQuery,
  cveId: string,
): Promise<{ day: string; affected: number }[]> {
  const end = sql`least(each.day + 1, ${query.at}::timestamptz at time zone 'UTC')`
  const { rows } = await sql<{ day: string; affected: number }>`
    with found as materialized (${activeSpans(query.workspaceId, cveId)}), affected as (
      select distinct each.day, each.firmware_version_ids, each.devices
      from ${dailySets(query)} as each
      cross join unnest(each.firmware_version_ids) as running (id)
      join found on found.firmware_version_id = running.id and found.since < each.day + 1 and found.until >= ${end}
      where ${isMeant(query)}
    )
    select day::text, sum(devices)::int as affected from affected group by day`.execute(db)
  return rows
}

const isNow = sql.raw(isActiveSql())

/** When each version had an active finding of the vulnerability. A decision that closed it counts from its instant on. */
const activeSpans = (workspaceId: string, cveId: string): RawBuilder<unknown> => sql`
  select fact.firmware_version_id, greatest(fact.since, match.since) at time zone 'UTC' as since,
    least(coalesce(fact.until, 'infinity'), coalesce(match.until, 'infinity'),
      case when ${isNow} then 'infinity' else decision.updated_at end) at time zone 'UTC' as until
  from vulnerability_aliases as alias
  join package_matches as match on match.vulnerability_id = alias.vulnerability_id
  join firmware_version_packages as fact
    on fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id
  left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
    and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
    and decision.vulnerability_id = match.vulnerability_id
  where alias.alias = ${cveId} and (${isNow}
    or decision.ignored or decision.assessment = any(${[...CLOSED_ASSESSMENTS]}::text[]))`

/** The first day with data. */
export async function findFirstDay(db: Db, workspaceId: string): Promise<string | undefined> {
  const { rows } = await sql<{ day: string | null }>`
    select min(day)::text as day from firmware_set_daily_devices where workspace_id = ${workspaceId}`.execute(
    db,
  )
  return rows[0]?.day ?? undefined
}

const MOST_MARKS = 200

export interface Release {
  at: Date
  firmwareVersionId: string
  firmwareId: string
  firmwareName: string
  version: string
}

/** The newest ones, oldest first. */
export async function listReleases(db: Db, query: ExposureQuery): Promise<Release[]> {
  const { workspaceId, since, firmwareId } = query
  let releases = selectVersions(db, workspaceId)
    .select([
      'version.createdAt as at',
      'version.id as firmwareVersionId',
      'version.name as version',
    ])
    .select(['firmware.id as firmwareId', 'firmware.name as firmwareName'])
    .where('version.createdAt', '>=', since)
    .orderBy('version.createdAt', 'desc')
    .orderBy('version.id', 'desc')
    .limit(MOST_MARKS)
  if (firmwareId !== undefined) releases = releases.where('version.firmwareId', '=', firmwareId)
  return (await releases.execute()).toReversed()
}

export interface Rollout {
  deploymentId: string
  deploymentCohortId: string
  cohortName: string
  firmwareVersionId: string | null
  firmwareName: string | null
  firmwareVersionName: string | null
  startedAt: Date
  endedAt: Date | null
  /** When the last of its devices had it, or had failed. */
  finishedAt: Date | null
  state: string
  isRollback: boolean
}

/** Deployments that began in the period, the newest ones, oldest first, each with its main version. */
export async function listRollouts(db: Db, query: ExposureQuery): Promise<Rollout[]> {
  const { workspaceId, since, at, firmwareId } = query
  const { rows } = await sql<Rollout>`
    select deployment.id as deployment_id, cohort.id as deployment_cohort_id, cohort.name as cohort_name,
      installed.version_id as firmware_version_id, installed.firmware_name,
      installed.version_name as firmware_version_name,
      coalesce(deployment.starts_at, deployment.created_at) as started_at, deployment.ended_at, deployment.state,
      case when deployment.pending + deployment.in_progress + deployment.cancelled = 0 then (
        select max(device.finished_at) from device_updates as device
        where device.workspace_id = ${workspaceId} and device.deployment_id = deployment.id) end as finished_at,
      deployment.rollback_of_id is not null as is_rollback
    from deployments as deployment
    join deployment_cohorts as cohort
      on cohort.workspace_id = deployment.workspace_id and cohort.id = deployment.cohort_id
    left join lateral (
      select version.id as version_id, version.name as version_name, firmware.name as firmware_name
      from deployment_artifacts as artifact
      join firmware_versions as version
        on version.workspace_id = ${workspaceId} and version.id = artifact.firmware_version_id
      join firmwares as firmware
        on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
      where artifact.workspace_id = ${workspaceId} and artifact.deployment_id = deployment.id
        ${firmwareId === undefined ? sql`` : sql`and firmware.id = ${firmwareId}`}
      order by artifact.is_main desc, artifact.position limit 1
    ) as installed on true
    where deployment.workspace_id = ${workspaceId} and deployment.state not in ('Scheduled', 'Cancelled')
      and coalesce(deployment.starts_at, deployment.created_at) between ${since} and ${at}
      ${firmwareId === undefined ? sql`` : sql`and installed.version_id is not null`}
    order by started_at desc, deployment.id desc limit ${MOST_MARKS}`.execute(db)
  return rows.toReversed()
}

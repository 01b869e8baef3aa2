/** What figures read beside their cases: counters of days, acceptances, targets and names. */
import { sql } from 'kysely'
import type { EndCause } from '../../formats/acceptances.ts'
import type { Db } from '../../platform/db/connect.ts'
import { formatDay, type Period } from './asked.ts'
import { isAsked } from './facts-store.ts'

export interface OpenDay {
  day: string
  firmwareId: string
  critical: number
}

/** Critical findings that counted at the end of these days; of a day that nobody counted, at the end of the last one before. */
export async function listOpenDays(
  db: Db,
  period: Period,
  days: readonly Date[],
): Promise<OpenDay[]> {
  const { workspaceId } = period
  const { rows } = await sql<OpenDay>`
    select asked.day::text, version.firmware_id, sum(counters.critical)::int as critical
    from unnest(${days.map(formatDay)}::date[]) as asked (day)
    cross join lateral (
      select max(day) as day from firmware_version_daily_counters
      where workspace_id = ${workspaceId} and day <= asked.day
    ) as counted
    join firmware_version_daily_counters as counters
      on counters.workspace_id = ${workspaceId} and counters.day = counted.day
    join firmware_versions as version
      on version.workspace_id = counters.workspace_id and version.id = counters.firmware_version_id
    where true ${isAsked(period)}
    group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

/** As they stand, for a period that is not over. */
export async function listOpenNow(db: Db, period: Period): Promise<OpenDay[]> {
  const { rows } = await sql<OpenDay>`
    select ${formatDay(period.lastDay)} as day, version.firmware_id, sum(counters.critical)::int as critical
    from firmware_version_counters as counters
    join firmware_versions as version
      on version.workspace_id = counters.workspace_id and version.id = counters.firmware_version_id
    where counters.workspace_id = ${period.workspaceId} ${isAsked(period)}
    group by 2 order by 2`.execute(db)
  return rows
}

export interface AcceptedRow {
  firmwareId: string
  vulnerabilityId: string
  /** Who looks after it; null: nobody was named. */
  owner: string | null
  acceptedAt: Date
  /** Whether it held as the period began, and as it ended. */
  wasOpen: boolean
  isOpen: boolean
  /** In the period. */
  endedAt: Date | null
  causes: EndCause[] | null
}

/** Acceptances of a vulnerability in a firmware that were made at one instant, of however many findings, are one. */
export async function listAcceptances(db: Db, period: Period): Promise<AcceptedRow[]> {
  const { workspaceId, from, to } = period
  const { rows } = await sql<AcceptedRow>`
    with concerned as materialized (
      select distinct entry.firmware_version_id, entry.package_id, entry.vulnerability_id, version.firmware_id
      from finding_timeline as entry
      join firmware_versions as version on version.workspace_id = entry.workspace_id and version.id = entry.firmware_version_id
      where entry.workspace_id = ${workspaceId} and entry.acceptance is not null and entry.created_at < ${to}
        ${isAsked(period)}
    ), entry as materialized (
      select concerned.firmware_id, entry.vulnerability_id, entry.created_at, entry.acceptance,
        entry.ignored and entry.acceptance is not null and entry.acceptance -> 'ended' is null as holds,
        lead(entry.created_at) over (partition by entry.firmware_version_id, entry.package_id, entry.vulnerability_id
          order by entry.created_at, entry.id) as replaced_at
      from finding_timeline as entry
      join concerned using (firmware_version_id, package_id, vulnerability_id)
      where entry.workspace_id = ${workspaceId} and entry.created_at < ${to}
    )
    select firmware_id, vulnerability_id, (acceptance ->> 'acceptedAt')::timestamptz as accepted_at,
      (array_agg(acceptance #>> '{owner,email}' order by created_at desc))[1] as owner,
      bool_or(holds and created_at < ${from} and (replaced_at is null or replaced_at >= ${from})) as was_open,
      bool_or(holds and replaced_at is null) as is_open,
      min((acceptance #>> '{ended,at}')::timestamptz) filter (
        where (acceptance #>> '{ended,at}')::timestamptz >= ${from} and (acceptance #>> '{ended,at}')::timestamptz < ${to}) as ended_at,
      (array_agg(acceptance #> '{ended,causes}') filter (where acceptance -> 'ended' is not null))[1] as causes
    from entry where acceptance is not null
    group by 1, 2, 3`.execute(db)
  return rows
}

type TargetDays = Readonly<Record<string, number>>

export interface Ground {
  /** When each held until, the first one first; the last one holds now. */
  targets: { until: Date | null; targetDays: TargetDays }[]
  firmwares: { id: string; name: string }[]
  /** Since when it is kept who was handed which VEX document. */
  publishedSince: Date
  /** Since when owners and targets of outcomes are kept. */
  caseDaysSince: Date
  /** The versions and firmwares that were deleted since the period began. */
  deleted: number
}

export async function readGround(db: Db, { workspaceId, from }: Period): Promise<Ground> {
  const { rows } = await sql<Ground>`
    select (
        select json_agg(json_build_object('until', until, 'targetDays', target_days) order by until nulls last)
        from (
          select until, target_days from former_remediation_targets where workspace_id = ${workspaceId}
          union all select null, remediation_target_days from workspaces where id = ${workspaceId}) as each) as targets,
      (select coalesce(json_agg(json_build_object('id', id, 'name', name)), '[]')
        from firmwares where workspace_id = ${workspaceId}) as firmwares,
      (select coalesce(vex_publications_since, created_at) from workspaces where id = ${workspaceId}) as published_since,
      (select coalesce(case_days_since, created_at) from workspaces where id = ${workspaceId}) as case_days_since,
      (select count(*)::int from audit_log where workspace_id = ${workspaceId} and created_at >= ${from}
        and action in ('firmware.delete', 'firmware-version.delete')) as deleted`.execute(db)
  const [ground] = rows
  if (!ground) throw new Error('A row without a table.')
  const targets = ground.targets.map(({ until, targetDays }) => ({
    until: until && new Date(until),
    targetDays,
  }))
  return { ...ground, targets }
}

/** The first day that was learned counts. */
export async function recordDisclosures(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
): Promise<void> {
  await sql`
    insert into disclosures (workspace_id, vulnerability_id, published_at, recorded_at)
    select ${workspaceId}::uuid, vulnerability.id, vulnerability.published_at, ${at}
    from (select distinct vulnerability_id from workspace_component_vulnerabilities where workspace_id = ${workspaceId}) as held
    join vulnerabilities as vulnerability on vulnerability.id = held.vulnerability_id
    where vulnerability.published_at is not null and not exists (
      select from disclosures as known
      where known.workspace_id = ${workspaceId} and known.vulnerability_id = held.vulnerability_id)
    order by vulnerability.id
    on conflict do nothing`.execute(db)
}

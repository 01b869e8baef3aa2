/** What happened in a quarter, from facts with times: versions, advisories, reports, and the devices of its first and last day. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

export interface Quarter {
  workspaceId: string
  from: Date
  /** Nothing that happened then or later counts. */
  to: Date
  /** null: of the whole workspace. */
  line: { id: string; firmwareIds: readonly string[] } | null
}

/** Of the firmware of the line. */
const isOf = ({ line }: Quarter, firmwareId: RawBuilder<unknown>) =>
  line === null ? sql`true` : sql`${firmwareId} = any(${[...line.firmwareIds]}::uuid[])`

export interface ReleasedVersion {
  firmware: string
  version: string
  createdAt: Date
  /** null: nobody has said. */
  securityOnly: boolean | null
  /** In the quarter; null: not in it. */
  firstDeployedAt: Date | null
}

/** Versions that were made in the quarter. Those that were deleted since are not known. */
export async function listReleased(db: Db, quarter: Quarter): Promise<ReleasedVersion[]> {
  const { workspaceId, from, to } = quarter
  const { rows } = await sql<ReleasedVersion>`
    select firmware.name as firmware, version.name as version, version.created_at, version.security_only,
      case when deployed.first_at < ${to} then deployed.first_at end as first_deployed_at
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    cross join lateral (
      select least(version.first_deployed_at, (
        select min(deployment.created_at) from deployment_artifacts as part
        join deployments as deployment on deployment.workspace_id = ${workspaceId} and deployment.id = part.deployment_id
        where part.workspace_id = ${workspaceId} and part.firmware_version_id = version.id)) as first_at
    ) as deployed
    where version.workspace_id = ${workspaceId} and version.created_at >= ${from} and version.created_at < ${to}
      and ${isOf(quarter, sql`version.firmware_id`)}
    order by version.created_at, version.id`.execute(db)
  return rows
}

export interface PublishedRevision {
  trackingId: string
  number: number
  title: string
  publishedAt: Date
  isWithdrawal: boolean
}

/** Of a line: advisories of its cases, and those that name a version of its firmware. */
export async function listPublished(db: Db, quarter: Quarter): Promise<PublishedRevision[]> {
  const { workspaceId, from, to, line } = quarter
  const isOfLine =
    line === null
      ? sql`true`
      : sql`(exists (select from case_lines as part where part.workspace_id = ${workspaceId}
          and part.product_line_id = ${line.id} and part.case_id = advisory.case_id)
        or exists (select from jsonb_array_elements(advisory.content -> 'products') as product
          join firmware_versions as version on version.workspace_id = ${workspaceId}
            and version.id::text = product ->> 'firmwareVersionId'
          where ${isOf(quarter, sql`version.firmware_id`)}))`
  const { rows } = await sql<PublishedRevision>`
    select advisory.tracking_id, revision.number, revision.title, revision.published_at, revision.is_withdrawal
    from security_advisory_revisions as revision
    join security_advisories as advisory on advisory.workspace_id = ${workspaceId} and advisory.id = revision.advisory_id
    where revision.workspace_id = ${workspaceId} and revision.published_at >= ${from} and revision.published_at < ${to}
      and ${isOfLine}
    order by revision.published_at, advisory.tracking_id, revision.number`.execute(db)
  return rows
}

export interface VersionUptake {
  firmware: string
  version: string
  before: number
  after: number
}

/** Devices by version at the ends of two days (UTC); null: devices of neither are kept. */
export async function listUptake(
  db: Db,
  quarter: Quarter,
  days: { before: string; after: string },
): Promise<VersionUptake[] | null> {
  const { workspaceId } = quarter
  const { rows } = await sql<VersionUptake & { isKept: boolean }>`
    with kept as materialized (
      select each.day, running.id, sum(each.devices)::int as devices
      from firmware_set_daily_devices as each
      cross join unnest(each.firmware_version_ids) as running (id)
      where each.workspace_id = ${workspaceId} and each.day in (${days.before}::date, ${days.after}::date)
      group by 1, 2
    ), counted as (
      select id, coalesce(sum(devices) filter (where day = ${days.before}::date), 0)::int as before,
        coalesce(sum(devices) filter (where day = ${days.after}::date), 0)::int as after
      from kept group by id
    )
    select firmware.name as firmware, version.name as version, counted.before, counted.after, true as is_kept
    from counted
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = counted.id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where ${isOf(quarter, sql`version.firmware_id`)}
    union all
    select '', '', 0, 0, false where exists (select from kept)
    order by is_kept desc, firmware, version`.execute(db)
  if (rows.length === 0) return null
  return rows.filter(({ isKept }) => isKept)
}

export interface ReportCounts {
  /** From outside. */
  received: number
  upstream: number
}

/** Of a line: what was recorded at findings of its firmware, and what whoever reported named as about it. */
export async function countReports(db: Db, quarter: Quarter): Promise<ReportCounts> {
  const { workspaceId, from, to, line } = quarter
  const { rows } = await sql<ReportCounts>`
    select (select count(*)::int from disclosure_reports as report
        where report.workspace_id = ${workspaceId} and report.received_at >= ${from} and report.received_at < ${to}
          and ${line === null ? sql`true` : sql`report.product_line_id = ${line.id}`}) as received,
      (select count(*)::int from upstream_reports as report
        left join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = report.firmware_version_id
        where report.workspace_id = ${workspaceId} and report.reported_at >= ${from} and report.reported_at < ${to}
          and report.created_at < ${to} and ${isOf(quarter, sql`version.firmware_id`)}) as upstream`.execute(
    db,
  )
  return rows[0] ?? { received: 0, upstream: 0 }
}

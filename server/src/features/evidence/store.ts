/** What a bundle says of the firmware versions of a product line. Long answers are read row by row, each of one instant. */
import { type RawBuilder, sql } from 'kysely'
import type { Assessment, DecisionSource } from '../../formats/assessments.ts'
import type { Severity } from '../../formats/advisories/model.ts'
import type { Db } from '../../platform/db/connect.ts'
import { limitMemory } from '../../platform/memory-release.ts'
import type { Confidence } from '../matching/index.ts'
import { selectFindingsAt } from '../vulnerabilities/index.ts'

export interface Subject {
  workspaceId: string
  productLineId: string
  from: Date
  to: Date
}

export interface VersionRow {
  id: string
  firmware: string
  firmwareSlug: string
  version: string
  createdAt: Date
  firstDeployedAt: Date | null
  deviceCount: number
}

/** Few, so that the rows of a page are young when they become garbage: V8 lets older garbage lie until the heap is several times as large. */
const FETCH = 100

/** A cursor in a transaction of its own, which ends with the rows: a bundle reads files of the blob store in between. */
export async function* readRows<Row>(db: Db, query: RawBuilder<Row>): AsyncGenerator<Row> {
  const tx = await db.startTransaction().setAccessMode('read only').execute()
  try {
    await sql`declare bundled no scroll cursor for ${query}`.execute(tx)
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(FETCH)} from bundled`.execute(tx)
      if (rows.length === 0) return
      yield* rows
      limitMemory()
    }
  } finally {
    await tx.rollback().execute()
  }
}

/** `version` of the firmware that is in the line now, made before the end. Oldest first. */
export async function listVersions(db: Db, subject: Subject): Promise<VersionRow[]> {
  const { workspaceId, productLineId, to } = subject
  const { rows } = await sql<VersionRow>`
    select version.id, firmware.name as firmware, firmware.slug as firmware_slug, version.name as version, version.created_at, (
        select min(deployment.created_at) from deployment_artifacts as part
        join deployments as deployment on deployment.workspace_id = ${workspaceId} and deployment.id = part.deployment_id
        where part.workspace_id = ${workspaceId} and part.firmware_version_id = version.id
          and deployment.created_at < ${to}) as first_deployed_at, (
        select coalesce(sum(counted.devices), 0)::int from firmware_version_device_counts as counted
        where counted.workspace_id = ${workspaceId} and counted.firmware_version_id = version.id) as device_count
    from product_line_firmwares as part
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = part.firmware_id
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.firmware_id = firmware.id
    where part.workspace_id = ${workspaceId} and part.product_line_id = ${productLineId} and version.created_at < ${to}
    order by firmware.name, version.created_at, version.id`.execute(db)
  return rows
}

export interface SbomRow {
  id: string
  fileName: string
  format: string | null
  sizeBytes: number
  sha256: string
  createdAt: Date
  replacedAt: Date | null
}

/** Those that count, and those that were replaced and are kept. Oldest first. */
export async function listSboms(
  db: Db,
  { workspaceId, to }: Subject,
  firmwareVersionId: string,
): Promise<SbomRow[]> {
  const { rows } = await sql<SbomRow>`
    select * from (
      select id, file_name, format, size_bytes, sha256, created_at, null::timestamptz as replaced_at from sboms
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} and created_at < ${to}
      union all
      select id, file_name, format, size_bytes, sha256, created_at, replaced_at from replaced_sboms
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} and created_at < ${to}
    ) as held order by created_at, id`.execute(db)
  return rows
}

export interface FindingRow {
  vulnerabilityId: string
  componentName: string
  componentVersion: string | null
  componentPurl: string | null
  severity: Severity
  score: number | null
  confidence: Confidence
  detectedAt: Date
  assessment: Assessment
  ignored: boolean
  justification: string | null
  responses: string[]
  detail: string | null
  source: DecisionSource | null
  decidedByEmail: string | null
  decidedAt: Date | null
}

/** As they were known and decided at the end. */
export function readFindings(
  db: Db,
  { workspaceId, to: at }: Subject,
  firmwareVersionId: string,
): AsyncGenerator<FindingRow> {
  return readRows(
    db,
    sql<FindingRow>`
    select match.vulnerability_id, fact.component_name, fact.component_version, fact.component_purl, match.severity, match.score,
      match.confidence, greatest(fact.since, match.since) as detected_at,
      coalesce(decision.assessment, 'NotAssessed') as assessment, coalesce(decision.ignored, false) as ignored,
      decision.justification, coalesce(decision.responses, '{}') as responses, decision.detail, decision.source,
      decision.decided_by_email, decision.updated_at as decided_at
    from ${selectFindingsAt({ workspaceId, at, of: { firmwareVersionId } })}`,
  )
}

export interface DecisionRow {
  createdAt: Date
  firmware: string
  version: string
  vulnerabilityId: string
  component: string | null
  type: 'Assessment' | 'Ignored' | 'Unignored'
  assessment: Assessment
  ignored: boolean
  justification: string | null
  responses: string[]
  detail: string | null
  source: DecisionSource
  createdByEmail: string | null
}

/** Oldest first, of the period. */
export function readDecisions(
  db: Db,
  { workspaceId, from, to }: Subject,
  firmwareVersionId: string,
): AsyncGenerator<DecisionRow> {
  return readRows(
    db,
    sql<DecisionRow>`
    select entry.created_at, firmware.name as firmware, version.name as version, entry.vulnerability_id, (
        select fact.component_name from firmware_version_packages as fact
        where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
          and fact.package_id = entry.package_id order by fact.since desc limit 1) as component,
      entry.type, entry.assessment, entry.ignored, entry.justification, entry.responses, entry.detail, entry.source,
      entry.created_by_email
    from finding_timeline as entry
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = entry.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where entry.workspace_id = ${workspaceId} and entry.firmware_version_id = ${firmwareVersionId}
      and entry.created_at >= ${from} and entry.created_at < ${to}
    order by entry.created_at, entry.id`,
  )
}

export interface UptakeRow {
  day: string
  firmware: string
  version: string
  devices: number
}

/** How many devices ran each version at the end of each day, as far as days are kept. */
export function readUptake(
  db: Db,
  { workspaceId, from, to }: Subject,
  versionIds: readonly string[],
): AsyncGenerator<UptakeRow> {
  return readRows(
    db,
    sql<UptakeRow>`
    select each.day::text as day, min(firmware.name) as firmware, min(version.name) as version, sum(each.devices)::int as devices
    from firmware_set_daily_devices as each
    cross join unnest(each.firmware_version_ids) as running (id)
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = running.id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where each.workspace_id = ${workspaceId} and running.id = any(${versionIds}::uuid[])
      and each.day >= (${from}::timestamptz at time zone 'UTC')::date
      and each.day < (${to}::timestamptz at time zone 'UTC')
    group by each.day, running.id order by each.day, firmware, version, running.id`,
  )
}

export interface DeploymentRow {
  id: string
  name: string
  cohort: string
  firmware: string
  version: string
  createdAt: Date
  endedAt: Date | null
  state: string
  succeeded: number
  failed: number
  cancelled: number
  open: number
}

/** Roll-outs of the versions that were under way in the period. */
export function readDeployments(
  db: Db,
  { workspaceId, from, to }: Subject,
  versionIds: readonly string[],
): AsyncGenerator<DeploymentRow> {
  return readRows(
    db,
    sql<DeploymentRow>`
    select deployment.id, deployment.name, cohort.name as cohort, firmware.name as firmware, version.name as version,
      deployment.created_at, deployment.ended_at, deployment.state, deployment.succeeded, deployment.failed,
      deployment.cancelled, deployment.pending + deployment.in_progress as open
    from deployment_artifacts as part
    join deployments as deployment on deployment.workspace_id = ${workspaceId} and deployment.id = part.deployment_id
    join deployment_cohorts as cohort on cohort.workspace_id = ${workspaceId} and cohort.id = deployment.cohort_id
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = part.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where part.workspace_id = ${workspaceId} and part.firmware_version_id = any(${versionIds}::uuid[])
      and deployment.created_at < ${to} and coalesce(deployment.ended_at, 'infinity') >= ${from}
    order by deployment.created_at, deployment.id, part.position`,
  )
}

/** Cases that are about the line, begun before the end, also closed ones. Oldest first. */
export async function listCaseIds(db: Db, subject: Subject): Promise<string[]> {
  const { workspaceId, productLineId, to } = subject
  const { rows } = await sql<{ id: string }>`
    select held.id from case_lines as part
    join cases as held on held.workspace_id = ${workspaceId} and held.id = part.case_id
    where part.workspace_id = ${workspaceId} and part.product_line_id = ${productLineId} and held.created_at < ${to}
    order by held.created_at, held.id`.execute(db)
  return rows.map(({ id }) => id)
}

export interface RevisionRow {
  trackingId: string
  number: number
  title: string
  publishedAt: Date
  isWithdrawal: boolean
  path: string
  document: string
}

/** Revisions of advisories that came from a case of the line, or that name a version of its firmware. */
export function readRevisions(
  db: Db,
  subject: Subject,
  versionIds: readonly string[],
): AsyncGenerator<RevisionRow> {
  const { workspaceId, productLineId, to } = subject
  return readRows(
    db,
    sql<RevisionRow>`
    select advisory.tracking_id, revision.number, revision.title, revision.published_at, revision.is_withdrawal, revision.path,
      revision.document
    from security_advisories as advisory
    join security_advisory_revisions as revision on revision.workspace_id = ${workspaceId} and revision.advisory_id = advisory.id
    where advisory.workspace_id = ${workspaceId} and revision.published_at < ${to} and (
      exists (select from case_lines as part where part.workspace_id = ${workspaceId}
        and part.product_line_id = ${productLineId} and part.case_id = advisory.case_id)
      or exists (select from jsonb_array_elements(advisory.content -> 'products') as product
        where product ->> 'firmwareVersionId' = any(${versionIds}::text[])))
    order by revision.published_at, advisory.id, revision.number`,
  )
}

/** What a version was and had at an instant: documents, accepted risks, roll-outs, devices, and how it differs from the version before. */
import { sql } from 'kysely'
import type { Acceptance } from '../../../formats/acceptances.ts'
import type { Severity } from '../../../formats/advisories/model.ts'
import { severityRankSql } from '../../../formats/advisories/severity.ts'
import { isActiveSql } from '../../../formats/assessments.ts'
import type { SbomGrade } from '../../../formats/sbom-profiles/grade.ts'
import type { SbomFormat } from '../../../formats/sboms/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { findPredecessorOf } from '../../firmware/index.ts'
import { selectFindingsAt } from '../../vulnerabilities/index.ts'

export interface VersionAt {
  workspaceId: string
  firmwareVersionId: string
  at: Date
}

export interface DossierSbom {
  fileName: string
  format: SbomFormat | null
  specVersion: string | null
  sizeBytes: number
  sha256: string
  parsingState: 'InProgress' | 'Succeeded' | 'Failed'
  componentCount: number
  /** null: it was not read since grades are kept. */
  grades: SbomGrade[] | null
  createdAt: Date
  replacedAt: Date | null
}

/** Those that counted then. What was deleted since is not known. */
export async function listSbomsAt(
  db: Db,
  { workspaceId, firmwareVersionId, at }: VersionAt,
): Promise<DossierSbom[]> {
  const { rows } = await sql<DossierSbom>`
    select * from (
      select file_name, format, spec_version, size_bytes::float8 as size_bytes, sha256, parsing_state, component_count, grades,
        created_at, null::timestamptz as replaced_at
      from sboms where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} and created_at <= ${at}
      union all
      select file_name, format, spec_version, size_bytes::float8, sha256, parsing_state, component_count, grades, created_at,
        replaced_at
      from replaced_sboms where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
        and created_at <= ${at} and replaced_at > ${at}
    ) as held order by created_at, file_name, sha256`.execute(db)
  return rows
}

export interface DossierArtifact {
  fileName: string
  sizeBytes: number
  sha256: string
  createdAt: Date
}

/** As it is now: an artifact that another replaced is not kept. */
export async function findArtifact(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionAt,
): Promise<DossierArtifact | undefined> {
  const { rows } = await sql<DossierArtifact>`
    select file_name, size_bytes::float8 as size_bytes, sha256, created_at from firmware_artifacts
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}`.execute(db)
  return rows[0]
}

export interface AcceptedRisk {
  vulnerabilityId: string
  severity: Severity
  componentName: string
  componentVersion: string | null
  /** null: it was ignored, and nobody said why or until when. */
  acceptance: Acceptance | null
}

/** Findings that were ignored then, the worst first. */
export async function listAcceptedAt(
  db: Db,
  version: VersionAt,
  limit: number,
): Promise<AcceptedRisk[]> {
  const { workspaceId, firmwareVersionId, at } = version
  const { rows } = await sql<AcceptedRisk>`
    with ignored as materialized (
      select match.vulnerability_id, match.severity, fact.package_id, fact.component_name, fact.component_version
      from ${selectFindingsAt({ workspaceId, at, of: { firmwareVersionId } })} and decision.ignored
    )
    select ignored.vulnerability_id, ignored.severity, ignored.component_name, ignored.component_version, held.acceptance
    from ignored
    cross join lateral (
      select entry.acceptance from finding_timeline as entry
      where entry.workspace_id = ${workspaceId} and entry.firmware_version_id = ${firmwareVersionId}
        and entry.package_id = ignored.package_id and entry.vulnerability_id = ignored.vulnerability_id
        and entry.created_at <= ${at}
      order by entry.created_at desc, entry.id desc limit 1
    ) as held
    order by ${sql.raw(severityRankSql('ignored.severity'))} desc, ignored.vulnerability_id, ignored.component_name
    limit ${limit}`.execute(db)
  return rows
}

export interface Predecessor {
  id: string
  name: string
  createdAt: Date
}

/** As it is named now. */
export async function findPredecessor(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionAt,
): Promise<Predecessor | undefined> {
  const { rows } = await sql<Predecessor>`
    select before.id, before.name, before.created_at
    from firmware_versions as version
    join firmware_versions as before on before.workspace_id = ${workspaceId} and before.id = ${findPredecessorOf(workspaceId)}
    where version.workspace_id = ${workspaceId} and version.id = ${firmwareVersionId}`.execute(db)
  return rows[0]
}

export interface Difference {
  severity: Severity
  introduced: number
  remaining: number
  gone: number
}

const active = sql.raw(isActiveSql())
const worstSeverity = sql`(array_agg(match.severity order by ${sql.raw(severityRankSql('match.severity'))} desc))[1]`

/** Vulnerabilities with an active finding then, in the version and in the one before; each counts once. */
export async function countDifferencesAt(
  db: Db,
  { workspaceId, firmwareVersionId, at }: VersionAt,
  predecessorId: string,
): Promise<Difference[]> {
  const listActive = (id: string) => sql`
    select match.vulnerability_id as id, ${worstSeverity} as severity
    from ${selectFindingsAt({ workspaceId, at, of: { firmwareVersionId: id } })} and ${active} group by 1`
  const { rows } = await sql<Difference>`
    with own as materialized (${listActive(firmwareVersionId)}), before as materialized (${listActive(predecessorId)})
    select coalesce(own.severity, before.severity) as severity,
      count(*) filter (where before.id is null)::int as introduced,
      count(*) filter (where own.id is not null and before.id is not null)::int as remaining,
      count(*) filter (where own.id is null)::int as gone
    from own full join before on before.id = own.id
    group by 1`.execute(db)
  return rows
}

export interface DossierDeployment {
  name: string
  cohort: string
  createdAt: Date
  endedAt: Date | null
  state: string
  succeeded: number
  failed: number
  cancelled: number
  open: number
}

/** Begun by then; counts and states are those of now, as no others are kept. The newest first. */
export async function listDeploymentsAt(
  db: Db,
  { workspaceId, firmwareVersionId, at }: VersionAt,
): Promise<DossierDeployment[]> {
  const { rows } = await sql<DossierDeployment>`
    select deployment.name, cohort.name as cohort, deployment.created_at, deployment.ended_at, deployment.state,
      deployment.succeeded, deployment.failed, deployment.cancelled, deployment.pending + deployment.in_progress as open
    from deployment_artifacts as part
    join deployments as deployment on deployment.workspace_id = ${workspaceId} and deployment.id = part.deployment_id
    join deployment_cohorts as cohort on cohort.workspace_id = ${workspaceId} and cohort.id = deployment.cohort_id
    where part.workspace_id = ${workspaceId} and part.firmware_version_id = ${firmwareVersionId}
      and deployment.created_at <= ${at}
    order by deployment.created_at desc, deployment.id`.execute(db)
  return rows
}

/** Devices that ran it at the end of the day; null: devices of that day are not kept. */
export async function countDevicesOn(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionAt,
  day: string,
): Promise<number | null> {
  const { rows } = await sql<{ devices: number | null }>`
    select case when count(*) > 0
      then coalesce(sum(devices) filter (where ${firmwareVersionId}::uuid = any(firmware_version_ids)), 0)::int end as devices
    from firmware_set_daily_devices where workspace_id = ${workspaceId} and day = ${day}::date`.execute(
    db,
  )
  return rows[0]?.devices ?? null
}

/** What decided that a workspace has a vulnerability, and what was decided about it. */
import { sql } from 'kysely'
import type { Assessment, DecisionSource } from '../../../formats/assessments.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { AffectedRow, Evidence } from '../../matching/index.ts'
import type { VulnerabilityAt } from './store.ts'

export interface PackageEvidence {
  packageId: string
  evidence: Evidence[]
}

/** In the order of the packages. */
export async function listEvidence(
  db: Db,
  vulnerabilityId: string,
  packageIds: readonly string[],
): Promise<PackageEvidence[]> {
  const { rows } = await sql<PackageEvidence>`
    select package_id, evidence from package_match_evidence
    where vulnerability_id = ${vulnerabilityId} and package_id = any(${packageIds}::uuid[])
    order by array_position(${packageIds}::uuid[], package_id)`.execute(db)
  return rows
}

/** What the records of the evidence say is affected. */
export async function listAffected(
  db: Db,
  evidence: readonly Pick<Evidence, 'source' | 'advisoryId' | 'key'>[],
): Promise<AffectedRow[]> {
  const keys = evidence.map(({ source, advisoryId, key }) => ({ source, advisoryId, key }))
  const { rows } = await sql<AffectedRow>`
    select affected.source, affected.advisory_id, affected.key, affected.statements
    from (
      select distinct * from json_to_recordset(${JSON.stringify(keys)}::json)
        as named (source text, "advisoryId" text, key text)
    ) as named
    join advisory_affected as affected on affected.source = named.source
      and affected.advisory_id = named."advisoryId" and affected.key = named.key
    order by affected.source, affected.advisory_id, affected.key`.execute(db)
  return rows
}

/** How many devices report each version; versions without devices are left out. */
export async function countRunning(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; devices: number }>`
    select firmware_version_id as id, sum(devices)::int as devices
    from firmware_version_device_counts
    where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])
    group by firmware_version_id`.execute(db)
  return new Map(rows.map(({ id, devices }) => [id, devices]))
}

export interface DecisionEntry {
  type: 'Assessment' | 'Ignored' | 'Unignored'
  timestamp: Date
  source: DecisionSource
  createdByEmail: string | null
  assessment: Assessment
  detail: string | null
  isUndo: boolean
  findingCount: number
  firmwareVersionCount: number
  firmwareVersions: string[]
  decisionBatch: { id: string; findingCount: number; isUndone: boolean } | null
}

const NAMED_VERSIONS = 3

/** What was decided at one instant is one entry, until the asked one. Also of findings that have ended. */
export async function listDecisions(
  db: Db,
  { workspaceId, id, at }: VulnerabilityAt,
  limit: number,
): Promise<DecisionEntry[]> {
  const until = sql`${at ?? 'infinity'}::timestamptz`
  const { rows } = await sql<DecisionEntry>`
    with ever as materialized (
      select distinct fact.firmware_version_id, fact.package_id
      from package_matches as match
      join firmware_version_packages as fact
        on fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id
      where match.vulnerability_id = ${id}
    ), entries as (
      select entry.type, entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.detail,
        entry.batch_id, entry.undone_batch_id is not null as is_undo, count(*)::int as finding_count,
        count(distinct entry.firmware_version_id)::int as firmware_version_count,
        (array_agg(distinct entry.firmware_version_id))[1:${sql.lit(NAMED_VERSIONS)}] as version_ids
      from ever
      join finding_timeline as entry on entry.workspace_id = ${workspaceId}
        and entry.firmware_version_id = ever.firmware_version_id and entry.package_id = ever.package_id
        and entry.vulnerability_id = ${id} and entry.created_at <= ${until}
      group by entry.type, entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.detail,
        entry.batch_id, entry.undone_batch_id is not null
      order by entry.created_at desc limit ${limit}
    )
    select entries.type, entries.created_at as timestamp, entries.source, entries.created_by_email, entries.assessment,
      entries.detail, entries.is_undo, entries.finding_count, entries.firmware_version_count,
      array(select firmware.name || ' ' || version.name
        from firmware_versions as version
        join firmwares as firmware on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
        where version.workspace_id = ${workspaceId} and version.id = any(entries.version_ids)
        order by firmware.name, version.created_at desc, version.id) as firmware_versions,
      case when batch.id is not null then json_build_object('id', batch.id, 'findingCount', batch.finding_count,
        'isUndone', coalesce(batch.undone_at <= ${until}, false)) end as decision_batch
    from entries
    left join decision_batches as batch on batch.workspace_id = ${workspaceId} and batch.id = entries.batch_id
    order by entries.created_at desc, entries.type, entries.assessment`.execute(db)
  return rows
}

/** What an advisory can be made of: versions, the findings that they have now, and cases. */
import { sql } from 'kysely'
import type { AdvisoryRecord } from '../../formats/advisories/model.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { KnownFinding, KnownVersion, KnownVulnerability } from './proposal.ts'

interface KnownVersionRow extends KnownVersion {
  slug: string
}

/** Of these firmwares, or these versions alone. Oldest first. */
export async function listKnownVersions(
  db: Db,
  workspaceId: string,
  { firmwareIds, versionIds }: { firmwareIds: readonly string[]; versionIds: readonly string[] },
): Promise<KnownVersionRow[]> {
  const { rows } = await sql<KnownVersionRow>`
    select version.id as firmware_version_id, firmware.id as firmware_id, firmware.name as firmware, firmware.slug,
      version.name as version, version.purl, version.cpe, version.line_id, version.created_at, version.security_only,
      line.name as product_line,
      coalesce(line.manufacturer, '') as manufacturer, exists (
        select from firmware_version_packages as fact where fact.workspace_id = ${workspaceId}
          and fact.firmware_version_id = version.id and fact.until is null) as has_components
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.firmware_id = firmware.id
    left join product_lines as line on line.workspace_id = ${workspaceId} and line.id = part.product_line_id
    where version.workspace_id = ${workspaceId}
      and (version.firmware_id = any(${firmwareIds}::uuid[]) or version.id = any(${versionIds}::uuid[]))
    order by version.created_at, version.id`.execute(db)
  return rows
}

/** Of these vulnerabilities, in all versions of these firmwares. */
export async function listKnownFindings(
  db: Db,
  workspaceId: string,
  {
    firmwareIds,
    vulnerabilityIds,
  }: { firmwareIds: readonly string[]; vulnerabilityIds: readonly string[] },
): Promise<KnownFinding[]> {
  const { rows } = await sql<KnownFinding>`
    select fact.firmware_version_id, match.vulnerability_id,
      concat_ws(' ', fact.component_name, fact.component_version) as component, match.confidence = 'Low' as is_uncertain,
      coalesce(decision.assessment, 'NotAssessed') as assessment
    from package_matches as match
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id
      and fact.until is null
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = fact.firmware_version_id
      and version.firmware_id = any(${firmwareIds}::uuid[])
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where match.until is null and match.vulnerability_id = any(${vulnerabilityIds}::text[])`.execute(
    db,
  )
  return rows
}

interface RecordedVulnerability extends Pick<
  KnownVulnerability,
  'id' | 'title' | 'isKnownExploit'
> {
  records: AdvisoryRecord[]
}

export async function listKnownVulnerabilities(
  db: Db,
  ids: readonly string[],
): Promise<RecordedVulnerability[]> {
  const { rows } = await sql<RecordedVulnerability>`
    select vulnerability.id, vulnerability.name as title, vulnerability.is_known_exploit,
      (select coalesce(json_agg(json_build_object('source', advisory.source, 'id', advisory.id, 'record', stored.record,
          'isWithdrawn', advisory.withdrawn_at is not null)), '[]')
        from advisory_vulnerabilities as link
        join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
        join advisory_records as stored on stored.source = link.source and stored.advisory_id = link.advisory_id
        where link.vulnerability_id = vulnerability.id) as records
    from vulnerabilities as vulnerability
    where vulnerability.id = any(${ids}::text[])
    order by vulnerability.is_known_exploit desc, vulnerability.primary_score desc nulls last, vulnerability.id`.execute(
    db,
  )
  return rows
}

/** Findings that the first version has and the second has not; those that were judged harmless are left out. */
export async function listGone(
  db: Db,
  workspaceId: string,
  { fromId, toId, limit }: { fromId: string; toId: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct match.vulnerability_id as id
    from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id and match.until is null
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${fromId} and fact.until is null
      and coalesce(decision.assessment, 'NotAssessed') not in ('NotAffected', 'FalsePositive')
      and (match.confidence <> 'Low' or decision.assessment in ('Exploitable', 'InTriage'))
      and not exists (select from firmware_version_packages as later
        join package_matches as other on other.package_id = later.package_id and other.until is null
        where later.workspace_id = ${workspaceId} and later.firmware_version_id = ${toId} and later.until is null
          and other.vulnerability_id = match.vulnerability_id)
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The firmware with a version that has the vulnerability, which is named by its id or an alias. undefined: no record names it. */
export async function findWhereVulnerable(
  db: Db,
  workspaceId: string,
  named: string,
): Promise<{ vulnerabilityId: string; firmwareIds: string[] } | undefined> {
  const { rows } = await sql<{ vulnerabilityId: string; firmwareIds: string[] }>`
    select vulnerability.id as vulnerability_id, array(
      select distinct version.firmware_id
      from package_matches as match
      join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
        and fact.package_id = match.package_id and fact.until is null
      join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = fact.firmware_version_id
      where match.vulnerability_id = vulnerability.id and match.until is null) as firmware_ids
    from vulnerabilities as vulnerability
    where vulnerability.id = coalesce((
      select alias.vulnerability_id from vulnerability_aliases as alias where alias.alias = ${named}), ${named})`.execute(
    db,
  )
  return rows[0]
}

export interface SourceCase {
  id: string
  title: string
  vulnerabilityId: string | null
  manufacturer: string
  versions: { firmwareVersionId: string; firmwareId: string; firmware: string; version: string }[]
  /** Those of its versions that were not deleted since. */
  presentIds: string[]
  /** Firmware of its versions and of its product lines. */
  firmwareIds: string[]
  /** Somebody answered that it can be exploited in the product. */
  isConfirmed: boolean
}

export async function findSourceCase(
  db: Db,
  workspaceId: string,
  caseId: string,
): Promise<SourceCase | undefined> {
  const { rows } = await sql<SourceCase>`
    select held.id, held.title, coalesce(alias.vulnerability_id, held.vulnerability_id) as vulnerability_id, held.manufacturer,
      coalesce((select json_agg(distinct jsonb_build_object('firmwareVersionId', affected.firmware_version_id,
          'firmwareId', affected.firmware_id, 'firmware', affected.firmware_name, 'version', affected.version_name))
        from case_versions as affected
        where affected.workspace_id = ${workspaceId} and affected.case_id = held.id), '[]') as versions,
      array(select present.id from firmware_versions as present where present.workspace_id = ${workspaceId}
        and present.id in (select firmware_version_id from case_versions where workspace_id = ${workspaceId} and case_id = held.id)) as present_ids,
      coalesce((select fact.detail ->> 'answer' = 'Yes' from case_facts as fact
        where fact.workspace_id = ${workspaceId} and fact.case_id = held.id and fact.kind = 'Answer'
          and fact.detail ->> 'question' = 'CanBeExploited'
        order by fact.recorded_at desc, fact.id desc limit 1), false) as is_confirmed,
      array(select affected.firmware_id from case_versions as affected
        where affected.workspace_id = ${workspaceId} and affected.case_id = held.id
        union
        select part.firmware_id from case_lines as line
        join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.product_line_id = line.product_line_id
        where line.workspace_id = ${workspaceId} and line.case_id = held.id) as firmware_ids
    from cases as held
    left join vulnerability_aliases as alias on alias.alias = held.vulnerability_id
    where held.workspace_id = ${workspaceId} and held.id = ${caseId}`.execute(db)
  return rows[0]
}

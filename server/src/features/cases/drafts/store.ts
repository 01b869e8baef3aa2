/** What drafts propose their texts from. */
import { sql } from 'kysely'
import { CLOSED_ASSESSMENTS, CONFIRMED_ASSESSMENTS } from '../../../formats/assessments.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { OrderedVersion } from './version-ranges.ts'

interface OneCase {
  workspaceId: string
  caseId: string
  vulnerabilityId: string | null
}

interface IdentifiedVersion extends OrderedVersion {
  id: string
}

/**
 * Versions of the case's firmwares, oldest first. Affected are those of the case, and others that have a finding of the vulnerability;
 * but for those whose findings are all decided otherwise.
 */
export async function listOrderedVersions(
  db: Db,
  { workspaceId, caseId, vulnerabilityId }: OneCase,
): Promise<IdentifiedVersion[]> {
  const { rows } = await sql<IdentifiedVersion>`
    with named as materialized (
      select firmware_version_id, package_id, firmware_id, firmware_name, version_name, added_at from case_versions
      where workspace_id = ${workspaceId} and case_id = ${caseId}
    ), concerned as materialized (
      select distinct firmware_id from named
    ), pairs as (
      select firmware_version_id, package_id from named
      union
      select fact.firmware_version_id, fact.package_id
      from package_matches as match
      join firmware_version_packages as fact on fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id
        and fact.until is null
      join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = fact.firmware_version_id
        and version.firmware_id in (select firmware_id from concerned)
      left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
        and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
      where match.vulnerability_id = ${vulnerabilityId} and match.until is null
        and (match.confidence <> 'Low' or decision.assessment = any(${CONFIRMED_ASSESSMENTS}::text[]))
    ), held as (
      select pairs.firmware_version_id as id,
        not bool_and(coalesce(decision.assessment = any(${CLOSED_ASSESSMENTS}::text[]), false)) as is_affected
      from pairs
      left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
        and decision.firmware_version_id = pairs.firmware_version_id and decision.package_id = pairs.package_id
        and decision.vulnerability_id = ${vulnerabilityId}
      group by pairs.firmware_version_id
    )
    select version.id, firmware.name as firmware, version.line_id, version.name as version, coalesce(held.is_affected, false) as is_affected
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join held on held.id = version.id
    where version.workspace_id = ${workspaceId} and version.firmware_id in (select firmware_id from concerned)
    order by firmware.name, version.created_at, version.id`.execute(db)
  const { rows: deleted } = await sql<IdentifiedVersion>`
    select named.firmware_version_id as id, min(named.firmware_name) as firmware, null as line_id, min(named.version_name) as version, true as is_affected
    from case_versions as named
    where named.workspace_id = ${workspaceId} and named.case_id = ${caseId} and not exists (
      select from firmware_versions as version
      where version.workspace_id = ${workspaceId} and version.id = named.firmware_version_id)
    group by named.firmware_version_id order by firmware, version`.execute(db)
  return [...deleted, ...rows]
}

/** What devices that report an affected version name as their country, most devices first. */
export async function listDeviceCountries(
  db: Db,
  { workspaceId, caseId }: Omit<OneCase, 'vulnerabilityId'>,
  limit: number,
): Promise<{ country: string; deviceCount: number }[]> {
  const { rows } = await sql<{ country: string; deviceCount: number }>`
    select upper(device.attributes ->> 'country') as country, count(distinct device.id)::int as device_count
    from device_firmwares as running
    join devices as device on device.workspace_id = ${workspaceId} and device.id = running.device_id
    where running.workspace_id = ${workspaceId} and running.firmware_version_id in (
        select firmware_version_id from case_versions where workspace_id = ${workspaceId} and case_id = ${caseId})
      and device.attributes ? 'country'
    group by 1 order by 2 desc, 1 limit ${limit}`.execute(db)
  return rows
}

export interface DecisionRow {
  version: string
  assessment: string
  detail: string | null
}

/** The latest first. */
export async function listDecisions(
  db: Db,
  { workspaceId, caseId, vulnerabilityId }: OneCase,
  limit: number,
): Promise<DecisionRow[]> {
  const { rows } = await sql<DecisionRow>`
    select held.firmware_name || ' ' || held.version_name as version, decision.assessment, decision.detail
    from case_versions as held
    join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = held.firmware_version_id and decision.package_id = held.package_id
      and decision.vulnerability_id = ${vulnerabilityId} and decision.assessment <> 'NotAssessed'
    where held.workspace_id = ${workspaceId} and held.case_id = ${caseId}
    order by decision.updated_at desc, held.firmware_version_id, held.package_id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** The id of the European database, as ENISA's list or an alias names it. */
export async function findEuvdId(db: Db, vulnerabilityId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select euvd_id as id from eu_exploited_entries where cve_id = ${vulnerabilityId} and euvd_id is not null
    union all
    select alias from vulnerability_aliases where vulnerability_id = ${vulnerabilityId} and alias like 'EUVD-%'
    limit 1`.execute(db)
  return rows[0]?.id ?? null
}

/** Which versions have findings that a public list names as exploited, and that no case has yet. */
import { sql } from 'kysely'
import { CONFIRMED_ASSESSMENTS } from '../../formats/assessments.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { NewVersion } from './store.ts'

export interface ProposedVersion extends NewVersion {
  workspaceId: string
  vulnerabilityId: string
  listedOn: string
  sources: string[]
  lineId: string | null
  lineName: string | null
  /** Empty: the firmware is in no product line. */
  manufacturer: string
}

export interface SweptWorkspace {
  workspaceId: string
  /** A version in the field has a listed vulnerability that no case has yet. */
  proposes: boolean
  hasCases: boolean
}

/**
 * Workspaces with something to propose, or with cases whose lines are followed: one statement over all of them, led by the packages that
 * have a listed vulnerability. Asking each workspace took 16 to 24 seconds for 1,001 of them, and nearly all had nothing new.
 */
export async function listWorkspacesToSweep(db: Db): Promise<SweptWorkspace[]> {
  const { rows } = await sql<SweptWorkspace>`
    with listed as (
      select distinct coalesce(alias.vulnerability_id, entry.cve_id) as vulnerability_id
      from (select cve_id from kev_entries union select cve_id from eu_exploited_entries) as entry
      left join vulnerability_aliases as alias on alias.alias = entry.cve_id
    ), exploited as materialized (
      select match.package_id, match.vulnerability_id, match.confidence
      from listed join package_matches as match on match.vulnerability_id = listed.vulnerability_id and match.until is null
    ), held as materialized (
      select fact.workspace_id, fact.firmware_version_id, fact.package_id
      from (select distinct package_id from exploited) as package
      join firmware_version_packages as fact on fact.package_id = package.package_id and fact.until is null
      where exists (select from deployment_artifacts as deployed where deployed.workspace_id = fact.workspace_id
          and deployed.firmware_version_id = fact.firmware_version_id)
        or exists (select from firmware_version_device_counts as counted where counted.workspace_id = fact.workspace_id
          and counted.firmware_version_id = fact.firmware_version_id and counted.devices > 0)
    ), known as materialized (
      select version.workspace_id, version.firmware_version_id, version.package_id,
        coalesce(alias.vulnerability_id, held.vulnerability_id) as vulnerability_id
      from cases as held
      join case_versions as version on version.workspace_id = held.workspace_id and version.case_id = held.id
      left join vulnerability_aliases as alias on alias.alias = held.vulnerability_id
      where not held.is_drill and held.vulnerability_id is not null
    )
    select workspace_id, bool_or(proposes) as proposes, bool_or(has_cases) as has_cases from (
      select held.workspace_id, true as proposes, false as has_cases
      from held
      join exploited on exploited.package_id = held.package_id
      left join finding_decisions as decision on decision.workspace_id = held.workspace_id
        and decision.firmware_version_id = held.firmware_version_id and decision.package_id = held.package_id
        and decision.vulnerability_id = exploited.vulnerability_id
      left join known on known.workspace_id = held.workspace_id and known.firmware_version_id = held.firmware_version_id
        and known.package_id = held.package_id and known.vulnerability_id = exploited.vulnerability_id
      where known.workspace_id is null
        and (exploited.confidence <> 'Low' or decision.assessment = any(${CONFIRMED_ASSESSMENTS}::text[]))
      union all select distinct workspace_id, false, true from cases) as swept
    group by workspace_id order by workspace_id`.execute(db)
  return rows
}

/**
 * In versions that were deployed, or that devices report. Decisions do not matter: they are the first answer, not a reason to say
 * nothing. An uncertain match counts once somebody has confirmed it, as in all lists. It is led by the lists rather than by the flags of
 * matches, which follow the lists a little later.
 */
export async function listProposedVersions(
  db: Db,
  workspaceId: string,
  limit: number,
): Promise<ProposedVersion[]> {
  const { rows } = await sql<ProposedVersion>`
    with listed as (
      select coalesce(alias.vulnerability_id, entry.cve_id) as vulnerability_id, min(entry.date_added)::text as listed_on,
        array_agg(distinct entry.source) as sources
      from (
        select cve_id, date_added, 'CISA' as source from kev_entries
        union all select cve_id, date_added, 'ENISA' from eu_exploited_entries) as entry
      left join vulnerability_aliases as alias on alias.alias = entry.cve_id
      group by 1
    )
    select fact.workspace_id, match.vulnerability_id, listed.listed_on, listed.sources,
      fact.firmware_version_id, fact.package_id, version.firmware_id, firmware.name as firmware_name,
      version.name as version_name, fact.component_name, fact.component_version, line.id as line_id,
      line.name as line_name, coalesce(line.manufacturer, '') as manufacturer
    from listed
    join package_matches as match on match.vulnerability_id = listed.vulnerability_id and match.until is null
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id
      and fact.until is null
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = fact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.firmware_id = firmware.id
    left join product_lines as line on line.workspace_id = ${workspaceId} and line.id = part.product_line_id
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where (match.confidence <> 'Low' or decision.assessment = any(${CONFIRMED_ASSESSMENTS}::text[]))
      and (exists (select from deployment_artifacts as deployed where deployed.workspace_id = ${workspaceId}
          and deployed.firmware_version_id = fact.firmware_version_id)
        or exists (select from firmware_version_device_counts as counted where counted.workspace_id = ${workspaceId}
          and counted.firmware_version_id = fact.firmware_version_id and counted.devices > 0))
      and not exists (select from case_versions as known
        join cases as held on held.workspace_id = ${workspaceId} and held.id = known.case_id
        left join vulnerability_aliases as alias on alias.alias = held.vulnerability_id
        where known.workspace_id = ${workspaceId} and known.firmware_version_id = fact.firmware_version_id
          and known.package_id = fact.package_id and not held.is_drill
          and coalesce(alias.vulnerability_id, held.vulnerability_id) = match.vulnerability_id)
    order by match.vulnerability_id, firmware.name, version.name, fact.package_id
    limit ${limit}`.execute(db)
  return rows
}

export interface AdoptedCase {
  workspaceId: string
  caseId: string
  manufacturer: string
}

/** Cases without a manufacturer whose firmware is in lines of one by now, where that one has no case of its own. */
export async function listAdoptedCases(db: Db, workspaceId: string): Promise<AdoptedCase[]> {
  const { rows } = await sql<AdoptedCase>`
    select held.workspace_id, held.id as case_id, min(line.manufacturer) as manufacturer
    from cases as held
    join case_versions as version on version.workspace_id = ${workspaceId} and version.case_id = held.id
    join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.firmware_id = version.firmware_id
    join product_lines as line on line.workspace_id = ${workspaceId} and line.id = part.product_line_id
    where held.workspace_id = ${workspaceId} and held.manufacturer = ''
    group by held.workspace_id, held.id
    having count(distinct lower(line.manufacturer)) = 1 and not bool_or(exists (
      select from cases as other where other.workspace_id = ${workspaceId} and other.vulnerability_id = held.vulnerability_id
        and not other.is_drill and not held.is_drill and lower(other.manufacturer) = lower(line.manufacturer)))`.execute(
    db,
  )
  return rows
}

export interface MissingLine {
  workspaceId: string
  caseId: string
  lineId: string
  lineName: string
}

/** Product lines of a case's manufacturer that have its firmware, and that it does not have. */
export async function listMissingLines(db: Db, workspaceId: string): Promise<MissingLine[]> {
  const { rows } = await sql<MissingLine>`
    select distinct held.workspace_id, held.id as case_id, line.id as line_id, line.name as line_name
    from cases as held
    join case_versions as version on version.workspace_id = ${workspaceId} and version.case_id = held.id
    join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.firmware_id = version.firmware_id
    join product_lines as line on line.workspace_id = ${workspaceId} and line.id = part.product_line_id
      and lower(line.manufacturer) = lower(held.manufacturer)
    where held.workspace_id = ${workspaceId} and not exists (select from case_lines as known where known.workspace_id = ${workspaceId}
      and known.case_id = held.id and known.product_line_id = line.id)
      and not exists (select from case_facts as removal where removal.workspace_id = ${workspaceId} and removal.case_id = held.id
        and removal.kind = 'LinesRemoved' and removal.detail ->> 'lineId' = line.id::text)`.execute(
    db,
  )
  return rows
}

/** Versions of the lines, or of all firmware where none is named, that have a finding of the vulnerability now. */
export async function listVersionsWithFinding(
  db: Db,
  {
    workspaceId,
    vulnerabilityId,
    lineIds,
  }: { workspaceId: string; vulnerabilityId: string; lineIds: readonly string[] },
): Promise<NewVersion[]> {
  const { rows } = await sql<NewVersion>`
    select fact.firmware_version_id, fact.package_id, version.firmware_id, firmware.name as firmware_name,
      version.name as version_name, fact.component_name, fact.component_version
    from package_matches as match
    join firmware_version_packages as fact on fact.package_id = match.package_id and fact.until is null
    join firmware_versions as version on version.workspace_id = fact.workspace_id and version.id = fact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = fact.workspace_id and firmware.id = version.firmware_id
    where fact.workspace_id = ${workspaceId} and match.until is null and match.confidence <> 'Low'
      and match.vulnerability_id in (${vulnerabilityId}, (
        select vulnerability_id from vulnerability_aliases where alias = ${vulnerabilityId}))
      and (cardinality(${lineIds}::uuid[]) = 0 or exists (select from product_line_firmwares as part
        where part.workspace_id = ${workspaceId} and part.firmware_id = firmware.id
          and part.product_line_id = any(${lineIds}::uuid[])))
    limit 5000`.execute(db)
  return rows
}

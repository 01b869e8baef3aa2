/** Reads components and findings of a firmware version for a comparison. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { findPredecessorOf } from '../../firmware/index.ts'
import type { HeldComponent, HeldFinding, Side } from './diff.ts'

interface FirmwareVersion {
  workspaceId: string
  firmwareVersionId: string
}

/** Where no component declares a version (kernels in Yocto's documents), that of an identifier. */
const versionOfPackage = sql`coalesce(fact.component_version, package.identity #>> '{pairs,0,version}')`

/** Packages, and components that are not matched, which vendor and name identify. */
async function listComponents(
  db: Db,
  { workspaceId, firmwareVersionId }: FirmwareVersion,
): Promise<HeldComponent[]> {
  const { rows } = await sql<HeldComponent>`
    select fact.package_id, fact.component_name as name, ${versionOfPackage} as version,
      fact.component_vendor as vendor, fact.component_purl as purl,
      array(select distinct pair ->> 'key' from jsonb_array_elements(package.identity -> 'pairs') as pair
        order by 1) as keys
    from firmware_version_packages as fact
    join packages as package on package.id = fact.package_id
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
      and fact.until is null
    union all
    select null::uuid, component.package_name, component.version, component.vendor, min(component.purl),
      array['declared:' || coalesce(component.vendor, '') || '/' || component.package_name]
    from sboms as sbom
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
      and sbom.parsing_state = 'Succeeded' and component.package_id is null
    group by component.package_name, component.version, component.vendor`.execute(db)
  return rows
}

async function listHeldFindings(
  db: Db,
  { workspaceId, firmwareVersionId }: FirmwareVersion,
): Promise<HeldFinding[]> {
  const { rows } = await sql<HeldFinding>`
    select fact.package_id, match.vulnerability_id, vulnerability.name, fact.component_name,
      ${versionOfPackage} as component_version, match.severity, match.score as cvss_score, vulnerability.is_known_exploit, match.confidence,
      coalesce(decision.assessment, 'NotAssessed') as assessment, coalesce(decision.ignored, false) as ignored
    from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id
    join packages as package on package.id = fact.package_id
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
      and fact.until is null and match.until is null`.execute(db)
  return rows
}

export async function readSide(db: Db, version: FirmwareVersion): Promise<Side> {
  const components = await listComponents(db, version)
  return { components, findings: await listHeldFindings(db, version) }
}

/** The version that decisions are carried over from: the named predecessor, else the newest earlier one of its line with an SBOM. */
export async function findPredecessorId(
  db: Db,
  { workspaceId, firmwareVersionId }: FirmwareVersion,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string | null }>`
    select ${findPredecessorOf(workspaceId)} as id
    from firmware_versions as version
    where version.workspace_id = ${workspaceId} and version.id = ${firmwareVersionId}`.execute(db)
  return rows[0]?.id ?? undefined
}

import { sql } from 'kysely'
import type { Severity } from '../../formats/advisories/model.ts'
import type { PackageIdentity } from '../../formats/identity.ts'
import type { Db } from '../../platform/db/connect.ts'
import { isListedExploit } from '../findings/index.ts'
import type { EvaluatedIdentity } from '../matching/index.ts'
import type { Decision } from './decision-counts.ts'
import type { Held } from './finding-changes.ts'

interface Name {
  key: string
  version: string
}

/** What stored and matched packages match now. Others are left out. */
export async function listStoredMatches(
  db: Db,
  packageIds: readonly string[],
): Promise<EvaluatedIdentity[]> {
  const { rows } = await sql<EvaluatedIdentity>`
    select package.id as package_id, package.is_named, (
      select coalesce(json_agg(json_build_object(
        'vulnerabilityId', match.vulnerability_id, 'confidence', match.confidence)), '[]')
      from package_matches as match where match.package_id = package.id and match.until is null
    ) as matches
    from packages as package
    where package.id = any(${packageIds}::uuid[]) and package.matched_at is not null`.execute(db)
  return rows
}

export async function listUnmatched(
  db: Db,
  packageIds: readonly string[],
): Promise<{ identity: PackageIdentity }[]> {
  const { rows } = await sql<{ identity: PackageIdentity }>`
    select package.identity from packages as package
    where package.id = any(${packageIds}::uuid[]) and package.matched_at is null`.execute(db)
  return rows
}

export async function listStoredNames(
  db: Db,
  packageIds: readonly string[],
): Promise<{ id: string; names: Name[] }[]> {
  const { rows } = await sql<{ id: string; names: Name[] }>`
    select package.id, jsonb_path_query_array(package.identity, '$.pairs[*]') as names
    from packages as package where package.id = any(${packageIds}::uuid[])`.execute(db)
  return rows
}

/** How many components of these firmware versions have these packages. */
export async function listHeld(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
    packageIds,
  }: {
    workspaceId: string
    firmwareVersionIds: readonly string[]
    packageIds: readonly string[]
  },
): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select sbom.firmware_version_id, component.package_id, count(*)::int as component_count
    from sbom_components as component
    join sboms as sbom on sbom.workspace_id = component.workspace_id and sbom.id = component.sbom_id
    where component.workspace_id = ${workspaceId} and component.package_id = any(${packageIds}::uuid[])
      and sbom.firmware_version_id = any(${firmwareVersionIds}::uuid[]) and sbom.parsing_state = 'Succeeded'
    group by sbom.firmware_version_id, component.package_id`.execute(db)
  return rows
}

/** What people decided about findings of these packages. */
export async function listDecisions(
  db: Db,
  workspaceId: string,
  packageIds: readonly string[],
): Promise<Decision[]> {
  const { rows } = await sql<Decision>`
    select decision.firmware_version_id, decision.package_id, decision.vulnerability_id,
      decision.assessment <> 'NotAssessed' as is_assessed, decision.ignored as is_ignored
    from finding_decisions as decision
    where decision.workspace_id = ${workspaceId} and decision.package_id = any(${packageIds}::uuid[])
      and (decision.assessment <> 'NotAssessed' or decision.ignored)`.execute(db)
  return rows
}

export interface Rating {
  id: string
  severity: Severity
  cvssScore: number | null
  epssScore: number | null
  isExploited: boolean
}

export async function listRatings(db: Db, vulnerabilityIds: readonly string[]): Promise<Rating[]> {
  const { rows } = await sql<Rating>`
    select vulnerability.id, vulnerability.severity, vulnerability.primary_score as cvss_score,
      epss.score as epss_score, ${isListedExploit(sql`vulnerability.id`)} as is_exploited
    from vulnerabilities as vulnerability
    left join epss_scores as epss on epss.cve_id = vulnerability.id
    where vulnerability.id = any(${vulnerabilityIds}::text[])`.execute(db)
  return rows
}

export interface ShownVersion {
  id: string
  name: string
  firmwareId: string
  firmwareName: string
}

export async function listShownVersions(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<ShownVersion[]> {
  const { rows } = await sql<ShownVersion>`
    select version.id, version.name, firmware.id as firmware_id, firmware.name as firmware_name
    from firmware_versions as version
    join firmwares as firmware
      on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])`.execute(
    db,
  )
  return rows
}

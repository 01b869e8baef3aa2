import { sql } from 'kysely'
import type { Severity } from '../../formats/advisories/model.ts'
import type { PackageIdentity } from '../../formats/identity.ts'
import type { Db } from '../../platform/db/connect.ts'
import { selectVersions } from '../firmware/index.ts'
import type { EvaluatedIdentity } from '../matching/index.ts'
import type { Decision } from './decision-counts.ts'
import type { HeldPackage } from './finding-changes.ts'

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
  return db
    .selectFrom('packages')
    .select(sql<PackageIdentity>`identity`.as('identity'))
    .where(sql<boolean>`id = any(${packageIds}::uuid[])`)
    .where('matchedAt', 'is', null)
    .execute()
}

export async function listStoredNames(
  db: Db,
  packageIds: readonly string[],
): Promise<{ id: string; names: Name[] }[]> {
  return db
    .selectFrom('packages')
    .select(['id', sql<Name[]>`jsonb_path_query_array(identity, '$.pairs[*]')`.as('names')])
    .where(sql<boolean>`id = any(${packageIds}::uuid[])`)
    .execute()
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
): Promise<HeldPackage[]> {
  return db
    .selectFrom('sbomComponents as component')
    .innerJoin('sboms as sbom', (join) =>
      join
        .onRef('sbom.workspaceId', '=', 'component.workspaceId')
        .onRef('sbom.id', '=', 'component.sbomId'),
    )
    .select(['sbom.firmwareVersionId', 'component.packageId'])
    .select(sql<number>`count(*)::int`.as('componentCount'))
    .where('component.workspaceId', '=', workspaceId)
    .where(sql<boolean>`component.package_id = any(${packageIds}::uuid[])`)
    .where(sql<boolean>`sbom.firmware_version_id = any(${firmwareVersionIds}::uuid[])`)
    .where('sbom.parsingState', '=', 'Succeeded')
    .groupBy(['sbom.firmwareVersionId', 'component.packageId'])
    .$narrowType<{ packageId: string }>()
    .execute()
}

/** What people decided about findings of these packages. */
export async function listDecisions(
  db: Db,
  workspaceId: string,
  packageIds: readonly string[],
): Promise<Decision[]> {
  return db
    .selectFrom('findingDecisions')
    .select(['firmwareVersionId', 'packageId', 'vulnerabilityId', 'ignored as isIgnored'])
    .select(sql<boolean>`assessment <> 'NotAssessed'`.as('isAssessed'))
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`package_id = any(${packageIds}::uuid[])`)
    .where(sql<boolean>`(assessment <> 'NotAssessed' or ignored)`)
    .execute()
}

export interface Rating {
  id: string
  severity: Severity
  cvssScore: number | null
  epssScore: number | null
  isExploited: boolean
}

export async function listRatings(db: Db, vulnerabilityIds: readonly string[]): Promise<Rating[]> {
  return db
    .selectFrom('vulnerabilities as vulnerability')
    .leftJoin('epssScores as epss', 'epss.cveId', 'vulnerability.id')
    .select(['vulnerability.id', 'vulnerability.severity'])
    .select(['vulnerability.primaryScore as cvssScore', 'epss.score as epssScore'])
    .select(
      sql<boolean>`vulnerability.is_known_exploit or exists (
      select from eu_exploited_entries as listed where listed.cve_id = vulnerability.id)`.as(
        'isExploited',
      ),
    )
    .where(sql<boolean>`vulnerability.id = any(${vulnerabilityIds}::text[])`)
    .$narrowType<{ severity: Severity }>()
    .execute()
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
  return selectVersions(db, workspaceId)
    .select(['version.id', 'version.name'])
    .select(['firmware.id as firmwareId', 'firmware.name as firmwareName'])
    .where(sql<boolean>`version.id = any(${firmwareVersionIds}::uuid[])`)
    .execute()
}

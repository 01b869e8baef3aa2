import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { FindingKey } from '../findings/index.ts'

/** The vulnerabilities that an id or alias stands for; one that has the id itself stands alone. */
export async function listVulnerabilityIds(db: Db, alias: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select vulnerability_id as id from vulnerability_aliases where alias = ${alias}
    order by vulnerability_id`.execute(db)
  const ids = rows.map(({ id }) => id)
  return ids.includes(alias) ? [alias] : ids
}

export async function isFindingHeld(
  db: Db,
  {
    workspaceId,
    firmwareVersionId,
    packageId,
    vulnerabilityId,
  }: FindingKey & { workspaceId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id
      and match.vulnerability_id = ${vulnerabilityId} and match.until is null
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
      and fact.package_id = ${packageId} and fact.until is null`.execute(db)
  return rows.length > 0
}

export interface KnownProduct {
  /** `cpe:vendor:product` */
  key: string
  recordCount: number
}

/** Products that records call by one of these names, whatever the vendor: the best known first. */
export async function listKnownProducts(
  db: Db,
  productKeys: readonly string[],
): Promise<KnownProduct[]> {
  const { rows } = await sql<KnownProduct>`
    select key, count(*)::int as record_count from advisory_affected
    where product_key = any(${productKeys}::text[]) and key like 'cpe:%' and key not like 'cpe:*:%'
    group by key order by count(*) desc, key limit 3`.execute(db)
  return rows
}

import { sql } from 'kysely'
import type { FindingKey } from '../../formats/finding-id.ts'
import type { Db } from '../../platform/db/connect.ts'

/** The vulnerabilities that an id or alias stands for; one that has the id itself stands alone. */
export async function listVulnerabilities(db: Db, alias: string) {
  const rows = await db
    .selectFrom('vulnerabilityAliases as named')
    .leftJoin('vulnerabilities as known', 'known.id', 'named.vulnerabilityId')
    .select(['named.vulnerabilityId', 'known.isDisputed'])
    .where('named.alias', '=', alias)
    .orderBy('named.vulnerabilityId')
    .execute()
  const own = rows.filter(({ vulnerabilityId }) => vulnerabilityId === alias)
  return (own.length > 0 ? own : rows).map(({ vulnerabilityId, isDisputed }) => ({
    vulnerabilityId,
    isDisputed: isDisputed ?? false,
  }))
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
  const row = await db
    .selectFrom('firmwareVersionPackages as fact')
    .innerJoin('packageMatches as match', 'match.packageId', 'fact.packageId')
    .select('fact.packageId')
    .where('match.vulnerabilityId', '=', vulnerabilityId)
    .where('match.until', 'is', null)
    .where('fact.workspaceId', '=', workspaceId)
    .where('fact.firmwareVersionId', '=', firmwareVersionId)
    .where('fact.packageId', '=', packageId)
    .where('fact.until', 'is', null)
    .executeTakeFirst()
  return row !== undefined
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
  return db
    .selectFrom('advisoryAffected')
    .select(['key', sql<number>`count(*)::int`.as('recordCount')])
    .where(sql<boolean>`product_key = any(${productKeys}::text[])`)
    .where('key', 'like', 'cpe:%')
    .where('key', 'not like', 'cpe:*:%')
    .groupBy('key')
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('key')
    .limit(3)
    .execute()
}

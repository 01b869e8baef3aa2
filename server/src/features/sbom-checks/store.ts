import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

/** Those of the packages that are not matched yet, in id order. */
export async function listUnmatched(db: Db, packageIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('packages')
    .select('id')
    .where(sql<boolean>`id = any(${packageIds}::uuid[])`)
    .where('matchedAt', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

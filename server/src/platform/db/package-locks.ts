/**
 * Locks packages against changes of their matches and of what depends on them, until the transaction ends. Each transaction
 * locks all it needs by one call, so that no two of them wait for each other.
 */
import { sql } from 'kysely'
import type { Db, Tx } from './connect.ts'
import { hasCitus } from './planning.ts'

/** Several transactions share a package; one alone locks it exclusively. */
export type PackageLock = 'shared' | 'exclusive'

/**
 * Locks the rows of the packages. Where Citus copies the table to each node, a lock of one row would lock the whole table, so
 * groups of packages have advisory locks at the coordinator there, through which all nodes of the service go.
 */
export async function lockPackages(
  tx: Tx,
  ids: readonly string[],
  lock: PackageLock,
): Promise<void> {
  if (ids.length === 0) return
  await ((await hasCitus(tx)) ? lockGroups(tx, ids, lock) : lockRows(tx, ids, lock))
}

async function lockRows(tx: Db, ids: readonly string[], lock: PackageLock): Promise<void> {
  const strength = lock === 'shared' ? sql`share` : sql`no key update`
  await sql`
    select count(*) from (
      select from packages where id = any(${ids}::uuid[]) order by id for ${strength}) as locked`.execute(
    tx,
  )
}

/**
 * The lock table of the server has 64 places for each connection, so an SBOM of 20,000 packages cannot have one for each. With
 * this number, the 250 packages of a batch that is matched leave three of four assessments alone.
 */
const GROUPS = 1_024

async function lockGroups(tx: Db, ids: readonly string[], lock: PackageLock): Promise<void> {
  const take = lock === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`
  await sql`
    select ${take}(hashtext('packages'), number) from (
      select distinct hashtext(id::text) & ${GROUPS - 1} as number
      from unnest(${ids}::uuid[]) as package (id) order by number) as numbers`.execute(tx)
}

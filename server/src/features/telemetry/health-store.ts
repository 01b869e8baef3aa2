/** The state of the tables of metrics and logs over all workspaces, for operators. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { PartitionedTable } from './retention/partitions-store.ts'

/** Points of devices that were deleted are not counted. */
export async function listDroppedPoints(
  db: Db,
): Promise<{ workspaceId: string; points: number }[]> {
  return db
    .selectFrom('metricOverflows')
    .select(['workspaceId', sql<number>`sum(points)::float8`.as('points')])
    .groupBy('workspaceId')
    .orderBy('workspaceId')
    .execute()
}

/** Rows of days without a partition, counted up to the limit. */
export async function countDefaultRows(
  db: Db,
  table: PartitionedTable,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select time from ${sql.table(`${table}_default`)} limit ${limit}) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** The instant up to which all workspaces are rolled up. undefined: nothing is rolled up. */
export async function findRolledUntil(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('metricPacking')
    .select(({ fn }) => fn.min<Date | null>('packedUntil').as('packedUntil'))
    .executeTakeFirst()
  return row?.packedUntil ?? undefined
}

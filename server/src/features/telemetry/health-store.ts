/** How the tables of metrics and logs are, over all workspaces; for operators. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { Partitioned } from './partitions-store.ts'

/** Of devices that are still there. */
export async function listDroppedPoints(
  db: Db,
): Promise<{ workspaceId: string; points: number }[]> {
  const { rows } = await sql<{ workspaceId: string; points: number }>`
    select workspace_id, sum(points)::float8 as points from metric_overflows
    group by workspace_id order by workspace_id`.execute(db)
  return rows
}

/** Rows of days without a partition; no more than the limit are counted. */
export async function countRest(db: Db, table: Partitioned, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select from ${sql.table(`${table}_default`)} limit ${limit}) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** Up to where the hours of all workspaces are rolled up; undefined: of none are any. */
export async function findRolledUntil(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ rolledUntil: Date | null }>`
    select min(rolled_until) as rolled_until from metric_rollups`.execute(db)
  return rows[0]?.rolledUntil ?? undefined
}

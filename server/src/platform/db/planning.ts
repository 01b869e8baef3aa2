/** What PostgreSQL knows when it plans statements about a workspace. */
import { sql } from 'kysely'
import type { Db, Tx } from './connect.ts'

export async function hasCitus(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/**
 * Plans the statements of this transaction for any workspace, not for the one they name. The planner takes a workspace that
 * its statistics do not name for one with a single row, and reads all rows of it for each package, until the table is
 * analysed again and the workspace is large enough to be noticed. Citus takes no such plans (decision 42).
 */
export async function planForAnyWorkspace(tx: Tx): Promise<void> {
  await sql`
    select set_config('plan_cache_mode', 'force_generic_plan', true)
    where not exists (select from pg_extension where extname = 'citus')`.execute(tx)
}

/** With fewer rows no plan takes long. */
const FEW_ROWS = 500
/** Whether the planner is wrong by so much decides between plans. */
const FACTOR = 10
/** A workspace that the planner takes for so large is known, and counting its rows would take long. */
const MANY_ROWS = 10_000

/**
 * Has those of the tables analysed of whose rows the planner believes the workspace to have far fewer than it has. What people
 * ask is planned for their workspace, and takes minutes where it is taken for empty. Autovacuum notices a new workspace a minute later,
 * if at all. On several nodes each shard has statistics of its own, which are left to autovacuum.
 */
export async function noticeWorkspace(
  db: Db,
  workspaceId: string,
  tables: readonly string[],
): Promise<void> {
  if (await hasCitus(db)) return
  await db.transaction().execute(async (tx) => {
    // One after the other: who waited may find the workspace known.
    await sql`select pg_advisory_xact_lock(hashtext('notice workspaces'))`.execute(tx)
    await sql`select set_config('statement_timeout', '0', true)`.execute(tx)
    for (const table of tables)
      if (await isUnderestimated(tx, workspaceId, table))
        await sql`analyze ${sql.table(table)}`.execute(tx)
  })
}

async function isUnderestimated(tx: Tx, workspaceId: string, table: string): Promise<boolean> {
  const believed = await readBelieved(tx, workspaceId, table)
  if (believed >= MANY_ROWS) return false
  const { rows } = await sql`
    select from ${sql.table(table)} where workspace_id = ${workspaceId}
    offset ${Math.max(FEW_ROWS, FACTOR * believed)} limit 1`.execute(tx)
  return rows.length > 0
}

/** How many rows of the table the planner believes the workspace to have. */
export async function readBelieved(db: Db, workspaceId: string, table: string): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
    explain (format json) select from ${sql.table(table)} where workspace_id = ${workspaceId}`.execute(
    db.withoutPlugins(),
  )
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0
}

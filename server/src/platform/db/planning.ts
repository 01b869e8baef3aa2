/** How PostgreSQL plans the statements of a transaction. */
import { sql } from 'kysely'
import type { Tx } from './connect.ts'

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

/** Waits until so many statements of the database wait for a lock that another transaction holds. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { AppContext } from '../src/platform/context.ts'

export async function waitForLocks({ db }: Pick<AppContext, 'db'>, statements = 1): Promise<void> {
  const { rows: citus } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  // Of all nodes: a statement waits on that of its rows.
  const activity = sql.table(citus.length > 0 ? 'citus_stat_activity' : 'pg_stat_activity')
  const countWaiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${activity}
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows[0]?.count ?? 0
  }
  await expect.poll(countWaiting, { interval: 20 }).toBe(statements)
}

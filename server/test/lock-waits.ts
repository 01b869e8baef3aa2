/** Waits until so many statements of the database wait for a lock that another transaction holds. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { AppContext } from '../src/platform/context.ts'

export async function waitForLocks({ db }: Pick<AppContext, 'db'>, statements = 1): Promise<void> {
  const countWaiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows[0]?.count ?? 0
  }
  await expect.poll(countWaiting, { interval: 20 }).toBe(statements)
}

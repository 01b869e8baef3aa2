/** Settings of PostgreSQL for the statements of one transaction. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/connect.ts'

/** A statement that takes longer fails, so that the rule can be marked as failed before it is due again. */
export async function limitStatements(tx: Tx, seconds: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${`${seconds}s`}, true)`.execute(tx)
}

/**
 * The planner cannot know how many series exist and fire, and assumes few. Nested loops over them take minutes where hash
 * joins take seconds.
 */
export const HASH_JOINS = { enable_nestloop: 'off', jit: 'off' } as const

/** Runs the work with these planner settings and resets them afterwards. */
export async function withPlannerSettings<Result>(
  tx: Tx,
  settings: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (const [setting, value] of Object.entries(settings))
    await sql`select set_config(${setting}, ${value}, true)`.execute(tx)
  const result = await work()
  for (const setting of Object.keys(settings))
    await sql`set local ${sql.ref(setting)} to default`.execute(tx)
  return result
}

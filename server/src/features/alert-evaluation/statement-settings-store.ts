import { sql } from 'kysely'
import type { Tx } from '../../platform/db/connect.ts'

/**
 * The planner cannot know how many series there are and fire, and takes them for few: looking for each among all others
 * then takes minutes, where comparing them as sets takes seconds.
 */
export const AS_SETS = { enable_nestloop: 'off', jit: 'off' } as const

/** Statements of the work are planned by these settings; what follows is planned as ever. */
export async function planned<Result>(
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

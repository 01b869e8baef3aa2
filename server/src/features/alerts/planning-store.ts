import { sql } from 'kysely'
import type { Tx } from '../../platform/db/connect.ts'

const SETTINGS = [
  ['enable_nestloop', 'off'],
  ['jit', 'off'],
] as const

/**
 * The planner cannot know how many series fire, and takes them for few: each would be looked for among all others. To
 * have them compared as sets is right however many there are.
 */
export async function plannedForSets<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  for (const [setting, value] of SETTINGS)
    await sql`select set_config(${setting}, ${value}, true)`.execute(tx)
  const result = await work()
  for (const [setting] of SETTINGS) await sql`set local ${sql.ref(setting)} to default`.execute(tx)
  return result
}

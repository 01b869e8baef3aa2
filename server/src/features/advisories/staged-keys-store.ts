/**
 * What temporary tables name, for statements that delete or update rows. Citus copies the tables of knowledge to each node, and
 * such a statement on them may not read a temporary table.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/connect.ts'

/** The rows of the query as JSON, which nobody parses here; undefined: there are none. */
export async function readJson(tx: Tx, query: RawBuilder<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ json: string | null }>`
    select json_agg(each)::text as json from (${query}) as each`.execute(tx)
  return rows[0]?.json ?? undefined
}

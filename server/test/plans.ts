/** What PostgreSQL reads to answer a query: a bound that holds on every machine, unlike a time. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../src/platform/db/connect.ts'

interface Plan {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/** Rows that all nodes of the plan returned or threw away. */
const rowsOf = (plan: Plan): number =>
  plan['Actual Loops'] *
    (plan['Actual Rows'] +
      (plan['Rows Removed by Filter'] ?? 0) +
      (plan['Rows Removed by Join Filter'] ?? 0) +
      (plan['Rows Removed by Index Recheck'] ?? 0)) +
  (plan.Plans ?? []).reduce((total, part) => total + rowsOf(part), 0)

/** Executes the query. */
export async function rowsRead(db: Db, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
    explain (analyze, timing off, format json) ${query}`.execute(db)
  const [explained] = rows
  if (explained === undefined) throw new Error('no plan')
  return rowsOf(explained['QUERY PLAN'][0].Plan)
}

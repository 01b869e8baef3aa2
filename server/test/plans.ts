/** What PostgreSQL reads to answer a query: a bound that holds on every machine, unlike a time. */
import {
  CamelCasePlugin,
  Kysely,
  type LogEvent,
  PostgresDialect,
  type RawBuilder,
  sql,
} from 'kysely'
import type { Pool } from 'pg'
import type { Db } from '../src/platform/db/connect.ts'
import type { DB } from '../src/platform/db/schema.ts'

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

/** The rows that all statements of the work read, one after another. */
export async function rowsReadBy(pool: Pool, work: (db: Db) => Promise<unknown>): Promise<number> {
  const statements: { sql: string; parameters: readonly unknown[] }[] = []
  const log = ({ query }: LogEvent) => void statements.push(query)
  const plugins = [new CamelCasePlugin({ maintainNestedObjectKeys: true })]
  await work(new Kysely<DB>({ dialect: new PostgresDialect({ pool }), plugins, log }))
  let read = 0
  for (const { sql: text, parameters } of statements) {
    const explain = `explain (analyze, timing off, format json) ${text}`
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, [...parameters])
    for (const { 'QUERY PLAN': plans } of rows) read += rowsOf(plans[0].Plan)
  }
  return read
}

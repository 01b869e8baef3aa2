/** Common table expressions with the type of their rows, so that queries in different files agree on what they read. */
import { type RawBuilder, sql } from 'kysely'

export interface Cte<Row> {
  /** The name, to stand behind `from` and `join`. */
  table: RawBuilder<Row>
  definition: RawBuilder<unknown>
}

/** Columns of `Row` are in camelCase, as Kysely returns them; the query names them in snake_case. */
export function materialized<Row>(name: string, query: RawBuilder<Row>): Cte<Row> {
  const table = tableNamed<Row>(name)
  return { table, definition: sql`${table} as materialized (${query})` }
}

/** For a change of rows: PostgreSQL runs it once, whether or not it is read. */
export function changing<Row>(name: string, statement: RawBuilder<Row>): Cte<Row> {
  const table = tableNamed<Row>(name)
  return { table, definition: sql`${table} as (${statement})` }
}

function tableNamed<Row>(name: string): RawBuilder<Row> {
  return sql<Row>`${sql.table(name)}`
}

export function withCtes(ctes: readonly Cte<unknown>[]): RawBuilder<unknown> {
  return sql`with ${sql.join(ctes.map(({ definition }) => definition))}`
}

/** Common table expressions with the type of their rows, so that queries in different files agree on what they read. */
import { type RawBuilder, sql } from 'kysely'

export interface Cte<Row> {
  /** The name, to stand behind `from` and `join`. */
  table: RawBuilder<Row>
  definition: RawBuilder<unknown>
}

/** A name by which queries read a table. Columns of `Row` are in camelCase, as Kysely returns them; SQL has snake_case. */
export function nameTable<Row>(name: string): RawBuilder<Row> {
  return sql<Row>`${sql.table(name)}`
}

export function defineMaterialized<Row>(table: RawBuilder<Row>, query: RawBuilder<Row>): Cte<Row> {
  return { table, definition: sql`${table} as materialized (${query})` }
}

/** For a change of rows: PostgreSQL runs it once, whether or not it is read. */
export function defineChange<Row>(table: RawBuilder<Row>, statement: RawBuilder<Row>): Cte<Row> {
  return { table, definition: sql`${table} as (${statement})` }
}

export function withCtes(ctes: readonly Cte<unknown>[]): RawBuilder<unknown> {
  return sql`with ${sql.join(ctes.map(({ definition }) => definition))}`
}

/** Pages in a total order: each begins after the sort values of the last row of the one before. */
import { type RawBuilder, sql } from 'kysely'

/** The sort values of the last row of the previous page. */
export type Position = readonly (string | number | boolean | null)[] | undefined

export interface SortKey {
  value: RawBuilder<unknown>
  /** The type to cast a cursor's value to: JSON returns texts and doubles only. */
  type: RawBuilder<unknown>
}

export const types = {
  integer: sql`integer`,
  real: sql`real`,
  text: sql`text collate "C"`,
  time: sql`timestamptz`,
  uuid: sql`uuid`,
}

type PageSql = Record<'columns' | 'order' | 'beyond' | 'sortValues' | 'place', RawBuilder<unknown>>

/**
 * The next page in a total order, after the last row of the previous one. An outer query computes `sortValues` and
 * `place`, so that PostgreSQL computes them for the rows of the page only.
 */
export function selectPage(keys: readonly SortKey[], ascending: boolean, after: Position): PageSql {
  const direction = ascending ? sql`asc` : sql`desc`
  const values = sql.join(keys.map(({ value }) => value))
  const names = keys.map((_, index) => sql.ref(`sort_${index}`))
  return {
    columns: sql.join(keys.map(({ value }, index) => sql`${value} as ${names[index]}`)),
    order: sql.join(keys.map(({ value }) => sql`${value} ${direction}`)),
    beyond: after
      ? sql`and (${values}) ${ascending ? sql`>` : sql`<`} (${castPosition(keys, after)})`
      : sql``,
    sortValues: sql`json_build_array(${sql.join(names)})`,
    place: sql.join(names.map((name) => sql`${name} ${direction}`)),
  }
}

/** The first keys of the order do not come before those of the cursor. */
export function isFromCursorOn(
  keys: readonly SortKey[],
  { ascending, after }: { ascending: boolean; after: Position },
): RawBuilder<unknown> {
  if (!after) return sql`true`
  const values = sql.join(keys.map(({ value }) => value))
  return sql`(${values}) ${ascending ? sql`>=` : sql`<=`} (${castPosition(keys, after)})`
}

const castPosition = (keys: readonly SortKey[], after: NonNullable<Position>) =>
  sql.join(keys.map(({ type }, index) => sql`${after[index]}::${type}`))

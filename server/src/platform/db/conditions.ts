/** Conditions in SQL: several together, and texts that contain others. */
import { type RawBuilder, sql } from 'kysely'

/** All of the conditions that are stated. */
export const joinAll = (conditions: readonly (RawBuilder<unknown> | false | undefined)[]) =>
  sql.join(
    [sql`true`, ...conditions.filter((one) => one !== undefined && one !== false)],
    sql` and `,
  )

/** Any of the alternatives; none for an empty list. */
export function joinAny(alternatives: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return alternatives.length === 0 ? sql`false` : sql`(${sql.join(alternatives, sql` or `)})`
}

/**
 * The text contains one of the parts, which are in lower case. One part is searched with `strpos`, which takes half as long.
 * More are one condition: the text is built once.
 */
export const containsAny = (text: RawBuilder<unknown>, parts: readonly string[]) =>
  parts.length === 1
    ? sql`strpos(${text} collate "C", ${parts[0]}::text) > 0`
    : sql`${text} collate "C" like any(${parts.map((part) => `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)}::text[])`

/** The same whatever the case of the text. Letters of ASCII are found by lowering these alone, which takes half as long. */
export const containsAnyLowered = (text: RawBuilder<unknown>, parts: readonly string[]) =>
  containsAny(
    parts.every((part) => /^[\0-\x7f]*$/.test(part))
      ? sql`lower(${text} collate "C")`
      : sql`lower(${text} collate "default")`,
    parts,
  )

export const lowerParts = (parts: readonly { contains: string }[]) =>
  parts.map(({ contains }) => contains.toLowerCase())

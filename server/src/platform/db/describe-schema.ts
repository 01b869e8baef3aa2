/** What the schema of a database holds, and how it differs from what the migrations of this release make. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { WITHOUT_PARTIAL_NULL } from './citus.ts'
import type { Db } from './connect.ts'

/** Written by `npm run db:schema` from a database that the migrations made. */
export const EXPECTED_SCHEMA = resolve(import.meta.dirname, '../../../migrations/schema.json')

/** By their names, what PostgreSQL says of them. */
type Definitions = Record<string, string>

interface TableDescription {
  columns: Definitions
  constraints: Definitions
  indexes: Definitions
}

export type SchemaDescription = Record<string, TableDescription>

/** Partitions follow their table, so they are left out; and what belongs to an extension. */
export async function describeSchema(db: Db): Promise<SchemaDescription> {
  const { rows } = await sql<TableDescription & { name: string }>`
    select tables.relname::text as name, ${COLUMNS} as columns, ${CONSTRAINTS} as constraints,
      ${INDEXES} as indexes
    from pg_class as tables
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and not exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = tables.oid and deptype = 'e')
    order by name`.execute(db)
  return Object.fromEntries(rows.map(({ name, ...table }) => [name, table]))
}

const byName = (name: RawBuilder<unknown>, text: RawBuilder<unknown>) =>
  sql`coalesce(jsonb_object_agg(${name}, ${text} order by ${name}), '{}')`

const COLUMNS = sql`(
  select ${byName(
    sql`attname::text`,
    sql`format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end
      || case attgenerated when 's' then ' generated' else '' end
      || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')`,
  )}
  from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attrelid = tables.oid and attnum > 0 and not attisdropped)`

// PostgreSQL 18 lists "not null" here as well; columns have it.
const CONSTRAINTS = sql`(
  select ${byName(sql`conname::text`, sql`pg_get_constraintdef(oid)`)}
  from pg_constraint where conrelid = tables.oid and contype in ('p', 'u', 'f', 'c', 'x'))`

const INDEXES = sql`(
  select ${byName(sql`names.relname::text`, sql`pg_get_indexdef(indexrelid)`)}
  from pg_index join pg_class as names on names.oid = indexrelid
  where indrelid = tables.oid
    and not exists (select from pg_constraint where conindid = indexrelid and conrelid = indrelid))`

export function readExpectedSchema(): SchemaDescription {
  return JSON.parse(readFileSync(EXPECTED_SCHEMA, 'utf8')) as SchemaDescription
}

export interface SchemaDifferences {
  /** What the release needs, and is missing or otherwise. */
  faults: string[]
  /** What the release does not know: somebody may want it. */
  unknown: string[]
}

const PARTS = { columns: 'column', constraints: 'constraint', indexes: 'index' } as const

export function compareSchemas(
  expected: SchemaDescription,
  found: SchemaDescription,
): SchemaDifferences {
  const all: SchemaDifferences = { faults: [], unknown: [] }
  for (const [name, table] of Object.entries(expected)) {
    const there = found[name]
    if (there) compareTables(name, { expected: table, found: there }, all)
    else all.faults.push(`the table ${name} is missing`)
  }
  for (const name of Object.keys(found))
    if (!(name in expected)) all.unknown.push(`the table ${name} is not of this release`)
  return all
}

function compareTables(
  table: string,
  { expected, found }: { expected: TableDescription; found: TableDescription },
  all: SchemaDifferences,
): void {
  for (const part of ['columns', 'constraints', 'indexes'] as const) {
    const named = (name: string) => `the ${PARTS[part]} ${name} of the table ${table}`
    for (const [name, text] of Object.entries(expected[part])) {
      const there = found[part][name]
      if (there === undefined) all.faults.push(`${named(name)} is missing: ${text}`)
      else if (there !== text) all.faults.push(`${named(name)} is ${there} instead of ${text}`)
    }
    for (const name of Object.keys(found[part]))
      if (!(name in expected[part])) all.unknown.push(`${named(name)} is not of this release`)
  }
}

/** Citus knows no key that sets a part of itself to null: `distribute` leaves these out, and keeps a table of its own. */
export function leaveOutForCitus(schema: SchemaDescription): SchemaDescription {
  return Object.fromEntries(
    Object.entries(schema).map(([name, { constraints, ...table }]) => {
      const kept = Object.entries(constraints).filter(
        ([, text]) => !WITHOUT_PARTIAL_NULL.test(text),
      )
      return [name, { ...table, constraints: Object.fromEntries(kept) }]
    }),
  )
}

/** What the database consists of, as its catalogue says: nothing has to be listed here for a new table to be backed up. */
import type { Client } from 'pg'
import type { Manifest } from './manifest.ts'

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
export const quoteTable = (name: string) => `public.${quoted(name)}`

export interface Table {
  name: string
  /** Without those that the database generates. */
  columns: string[]
}

/** Tables that hold rows themselves: partitions, but not what is partitioned. What is noted of the schema itself is left out. */
export async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select class.relname::text as name, array_agg(attname::text order by attnum) as columns
     from pg_class as class join pg_attribute on attrelid = class.oid
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
       and relname <> all('{schema_migrations,left_out_foreign_keys,changed_days}') and attnum > 0 and not attisdropped and attgenerated = ''
     group by class.oid, class.relname order by class.relname`,
  )
  return rows
}

export async function listPartitions(client: Client): Promise<Manifest['partitions']> {
  const { rows } = await client.query<Manifest['partitions'][number]>(
    `select child.relname::text as name, parent.relname::text as parent,
       pg_get_expr(child.relpartbound, child.oid) as bound
     from pg_inherits
     join pg_class as child on child.oid = inhrelid
     join pg_class as parent on parent.oid = inhparent
     where child.relnamespace = 'public'::regnamespace and child.relispartition and child.relkind = 'r'
     order by child.relname`,
  )
  return rows
}

/** Sequences belong to no transaction: to be read after the rows that took numbers from them. */
export async function listSequences(client: Client): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`,
  )
  const sequences: Manifest['sequences'] = []
  for (const { name } of rows) {
    const read = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from ${quoteTable(name)}`,
    )
    for (const sequence of read.rows) sequences.push({ name, ...sequence })
  }
  return sequences
}

export const copyOut = ({ name, columns }: Table) =>
  `copy ${quoteTable(name)} (${columns.map(quoted).join(', ')}) to stdout`

export const copyIn = ({ name, columns }: Table) =>
  `copy ${quoteTable(name)} (${columns.map(quoted).join(', ')}) from stdin`

export async function lockTables(client: Client, tables: readonly Table[]): Promise<void> {
  if (tables.length === 0) return
  const names = tables.map(({ name }) => quoteTable(name)).join(', ')
  await client.query(`lock table only ${names} in access share mode`)
}

export async function truncateTables(client: Client): Promise<void> {
  const tables = await listTables(client)
  const names = tables.map(({ name }) => quoteTable(name)).join(', ')
  await client.query(`truncate ${names}`)
}

export async function createPartition(
  client: Client,
  { name, parent, bound }: Manifest['partitions'][number],
): Promise<void> {
  await client.query(`create table ${quoteTable(name)} partition of ${quoteTable(parent)} ${bound}`)
}

export async function setSequence(
  client: Client,
  { name, value, isCalled }: Manifest['sequences'][number],
): Promise<void> {
  await client.query('select setval($1::regclass, $2, $3)', [quoteTable(name), value, isCalled])
}

interface Constraint {
  table: string
  name: string
  definition: string
}

/** Rows then arrive in any order, and each constraint is checked once for all of them. */
export async function dropForeignKeys(client: Client): Promise<Constraint[]> {
  const { rows } = await client.query<Constraint>(
    `select conrelid::regclass::text as table, conname::text as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace order by 1, 2`,
  )
  for (const { table, name } of rows)
    await client.query(`alter table ${table} drop constraint ${quoted(name)}`)
  return rows
}

export async function addForeignKeys(client: Client, keys: readonly Constraint[]): Promise<void> {
  for (const { table, name, definition } of keys)
    await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`)
}

export async function isEmpty(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') limit 1`,
  )
  return rows.length === 0
}

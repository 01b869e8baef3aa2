/** Runs plain SQL migrations: forward only, one process at a time, with checksums of their texts. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Pool, PoolClient } from 'pg'

const FOLDER = resolve(import.meta.dirname, '../../../migrations')
// Names the advisory lock under which migrations run. Any fixed number will do.
const LOCK = 7_305_160_342

interface Migration {
  name: string
  text: string
  checksum: string
}

export async function migrate(
  pool: Pool,
  log: (text: string) => void = () => undefined,
  folder: string = FOLDER,
): Promise<void> {
  const client = await pool.connect()
  try {
    // The statement timeout of the pool must not end a long migration or the wait for it.
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await applyMissing(client, readMigrations(folder), log)
  } finally {
    // Ends the session, its lock and its settings.
    client.release(true)
  }
}

/** Those of this release that the database has not got. */
export async function listMissingMigrations(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('select name from schema_migrations')
  const applied = new Set(rows.map(({ name }) => name))
  return readMigrations(FOLDER).flatMap(({ name }) => (applied.has(name) ? [] : [name]))
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}-.*\.sql$/.test(name))
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

async function applyMissing(
  client: PoolClient,
  migrations: Migration[],
  log: (text: string) => void,
): Promise<void> {
  await client.query(
    `create table if not exists schema_migrations (
       name text primary key, checksum text not null, applied_at timestamptz(3) not null default now()
     )`,
  )
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  )
  refuseForeign(rows, migrations)
  const applied = new Set(rows.map((row) => row.name))
  for (const migration of migrations.filter(({ name }) => !applied.has(name)))
    await apply(client, migration, log)
}

function refuseForeign(
  rows: readonly { name: string; checksum: string }[],
  migrations: readonly Migration[],
): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  for (const { name, checksum } of rows) {
    const expected = known.get(name)
    if (expected === undefined)
      throw new Error(`The database was migrated by a newer release: it holds ${name}.`)
    if (expected !== checksum)
      throw new Error(`Migration ${name} differs from the text this database was migrated with.`)
  }
}

async function apply(
  client: PoolClient,
  { name, text, checksum }: Migration,
  log: (text: string) => void,
): Promise<void> {
  log(`migration ${name}`)
  await client.query('begin')
  try {
    await client.query(text)
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
      name,
      checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

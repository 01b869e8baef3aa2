/** Runs plain SQL migrations: forward only, one process at a time, with checksums of their texts. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ClientBase, Pool, PoolClient } from 'pg'
import { invalid } from '../errors.ts'
import { JOBS } from '../jobs/queue.ts'
import { keepBackupsOut } from './backup-locks.ts'
import {
  type DistributedTables,
  distribute,
  hasCitus,
  isDistributed,
  splitForNodes,
} from './citus.ts'
import { STATEMENT_MS } from './connect.ts'
import { isLockBusy, isOvertaken } from './failures.ts'

const FOLDER = resolve(import.meta.dirname, '../../../migrations')
// Names the advisory lock under which migrations run. Any fixed number will do.
const LOCK = 7_305_160_342
// A change of a table waits for those who use it, and all others wait behind it. So it lets them pass after a moment, shorter
// than PostgreSQL waits before it looks for deadlocks (deadlock_timeout, 1 s), and tries again.
const LOCK_WAIT_MS = 500
const PAUSE_MS = 500
/** Longer than a statement of the service takes. Where long ones follow each other, others have to wait in the end. */
const GIVES_WAY_MS = STATEMENT_MS + 30_000

/** Up to it, some move rows in ways that Citus refuses: they cannot run where tables are spread, and tables are spread after it. */
const LAST_BEFORE_NODES = '0057-audit-search-text.sql'

interface Migration {
  name: string
  text: string
  /** The parts of the text that are sent one by one. */
  statements: readonly string[]
  checksum: string
}

export async function migrate(
  pool: Pool,
  log: (text: string) => void = () => undefined,
  folder: string = FOLDER,
): Promise<void> {
  await holdingLock(pool, async (client) => {
    const version = await readServerVersion(client)
    if (version < LEAST_VERSION)
      throw invalid(`PostgreSQL ${Math.floor(version / 10_000)} is too old: use 15 or newer.`)
    const isSpread = await isDistributed(client)
    const migrations = readMigrations(folder)
    const onNodes = ({ text, ...one }: Migration) => ({
      ...one,
      text,
      statements: splitForNodes(text),
    })
    const isChanged = await applyMissing(
      client,
      isSpread ? migrations.map(onNodes) : migrations,
      log,
    )
    if (isChanged && isSpread) await distribute(client, log)
  })
}

const LEAST_VERSION = 150_000
const WITH_STORAGE = 160_000

/** As `server_version_num` has it: 150018 is 15.18. */
async function readServerVersion(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  )
  return rows[0]?.version ?? 0
}

/** PostgreSQL 15 has no `storage` in CREATE TABLE (16's release notes). There it tries to compress such columns, in vain. */
function adaptStatement(statement: string, version: number): string {
  return version < WITH_STORAGE ? statement.replaceAll(' storage external', '') : statement
}

async function holdingLock<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    // The statement timeout of the pool must not end a long migration or the wait for it.
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [LOCK])
    return await work(client)
  } finally {
    // Ends the session, its lock and its settings.
    client.release(true)
  }
}

/**
 * Spreads the tables over the nodes of Citus while no migration runs. undefined: the database is not one of Citus. Throws
 * `invalid-request` while processes of the service use the database.
 */
export async function distributeTables(
  pool: Pool,
  log: (text: string) => void,
): Promise<DistributedTables | undefined> {
  return holdingLock(pool, async (client) => {
    if (!(await hasCitus(client))) return undefined
    const addresses = await listServices(client)
    if (addresses.length > 0)
      throw invalid(
        `The service runs and uses this database, from ${addresses.join(', ')}. Stop all its processes first: it writes to tables while they move.`,
      )
    const early = findEarly(await listAbsent(client, readMigrations(FOLDER)))
    if (early)
      throw invalid(
        `The database lacks migration ${early}, which cannot run once tables are spread: start the service once, stop it, and run this again.`,
      )
    return distribute(client, log)
  })
}

/** Where processes of the service are connected from; each of them has a connection for jobs, and commands have none. */
async function listServices(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ address: string }>(
    `select distinct coalesce(host(client_addr), 'this machine') as address from pg_stat_activity
     where datname = current_database() and application_name = $1 order by 1`,
    [JOBS],
  )
  return rows.map(({ address }) => address)
}

/** Those of this release that the database has not got. */
export async function listMissingMigrations(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('select name from schema_migrations')
  const applied = new Set(rows.map(({ name }) => name))
  return readMigrations(FOLDER).flatMap(({ name }) => (applied.has(name) ? [] : [name]))
}

/** The missing migrations with their texts. Throws where `migrate` would refuse the database. Changes nothing. */
export async function readMissingMigrations(pool: Pool, folder: string = FOLDER) {
  const client = await pool.connect()
  try {
    const migrations = readMigrations(folder)
    const { rows } = await client.query("select where to_regclass('schema_migrations') is not null")
    return rows.length === 0 ? migrations : await listMissing(client, migrations)
  } finally {
    client.release()
  }
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}-.*\.sql$/.test(name))
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { name, text, statements: [text], checksum }
    })
}

async function applyMissing(
  client: PoolClient,
  migrations: Migration[],
  log: (text: string) => void,
): Promise<boolean> {
  await client.query(CREATE_MIGRATIONS)
  if ((await listMissing(client, migrations)).length === 0) return false
  await keepBackupsOut(client)
  // A restore may have ended meanwhile.
  for (const migration of await listMissing(client, migrations)) await apply(client, migration, log)
  return true
}

async function listMissing(
  client: PoolClient,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  refuseForeign(await listApplied(client), migrations)
  const missing = await listAbsent(client, migrations)
  const early = findEarly(missing)
  if (early && (await isDistributed(client)))
    throw invalid(
      `The tables of this database were spread over nodes by a release before migration ${early}, which cannot run there: ` +
        'back it up with that release, restore the backup into an empty database with this one, and spread its tables again (docs/guide/scale-out.md).',
    )
  return missing
}

async function listAbsent(
  client: ClientBase,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const applied = new Set((await listApplied(client)).map(({ name }) => name))
  return migrations.filter(({ name }) => !applied.has(name))
}

const findEarly = (missing: readonly Migration[]) =>
  missing.find(({ name }) => name <= LAST_BEFORE_NODES)?.name

const CREATE_MIGRATIONS = `create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz(3) not null default now()
)`

/** A migration of a database: its name and the checksum of its text. */
export type AppliedMigration = Pick<Migration, 'name' | 'checksum'>

export async function listApplied(client: ClientBase): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select name, checksum from schema_migrations order by name',
  )
  return rows
}

/** Those that this release does not have, or has with another text. */
export function listUnknown(applied: readonly AppliedMigration[]): AppliedMigration[] {
  const known = new Map(readMigrations(FOLDER).map(({ name, checksum }) => [name, checksum]))
  return applied.filter(({ name, checksum }) => known.get(name) !== checksum)
}

/** Makes the schema as these migrations leave it, in the transaction of the caller and in an empty database. */
export async function makeSchema(client: ClientBase, names: ReadonlySet<string>): Promise<void> {
  await client.query(CREATE_MIGRATIONS)
  for (const migration of readMigrations(FOLDER).filter(({ name }) => names.has(name)))
    await run(client, migration)
}

function refuseForeign(
  rows: readonly { name: string; checksum: string }[],
  migrations: readonly Migration[],
): void {
  const [first] = rows
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  if (first && first.name !== migrations[0]?.name)
    throw invalid(
      `The database was made by sources from before release 0.1.0 (its first migration is ${first.name}), which no release can ` +
        'bring up to date: start with an empty database, in another PLIMSOLL_DATA_DIR or DATABASE_URL, and upload your files again.',
    )
  for (const { name, checksum } of rows) {
    const expected = known.get(name)
    if (expected === undefined)
      throw invalid(
        `The database was migrated by a newer release: it holds ${name}. Start that release, or a newer one. ` +
          'Migrations are never undone: to go back, restore the backup that was taken before the upgrade into an empty database.',
      )
    if (expected !== checksum)
      throw invalid(`Migration ${name} differs from the text this database was migrated with.`)
  }
}

/** Gives way to those who use the tables: what it has done by then is undone, and done again. */
async function apply(
  client: PoolClient,
  migration: Migration,
  log: (text: string) => void,
): Promise<void> {
  log(`migration ${migration.name}`)
  const waitsFrom = Date.now() + GIVES_WAY_MS
  for (let attempt = 1; ; attempt += 1) {
    const givesWay = Date.now() < waitsFrom
    try {
      return await attemptTo(client, migration, givesWay ? LOCK_WAIT_MS : 0)
    } catch (error) {
      if (!givesWay || !isHeldUp(error)) throw error
      if (attempt === 1) log(`migration ${migration.name} waits for tables that are in use`)
      await delay(PAUSE_MS)
    }
  }
}

/** `lockWaitMs`: 0 is without an end. */
async function attemptTo(
  client: PoolClient,
  migration: Migration,
  lockWaitMs: number,
): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockWaitMs}`)
    await run(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

const isHeldUp = (error: unknown) => isLockBusy(error) || isOvertaken(error)

async function run(client: ClientBase, { name, statements, checksum }: Migration): Promise<void> {
  const version = await readServerVersion(client)
  for (const statement of statements) await client.query(adaptStatement(statement, version))
  await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
    name,
    checksum,
  ])
}

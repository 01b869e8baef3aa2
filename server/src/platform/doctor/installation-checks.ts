/** Checks of the database and this machine as a whole. */
import { sql } from 'kysely'
import type { AppContext } from '../context.ts'
import { isBundledServer } from '../db/describe.ts'
import {
  compareSchemas,
  describeSchema,
  leaveOutForCitus,
  readExpectedSchema,
} from '../db/describe-schema.ts'
import { BUNDLED_ADVICE } from '../db/embedded-binaries.ts'
import { listMissingMigrations } from '../db/migrate.ts'
import { hasCitus } from '../db/planning.ts'
import { listLateJobs } from '../jobs/late-jobs.ts'
import { fileStoreCheck } from '../blobs/store-health.ts'
import { type Check, MOST_SHOWN, summariseFaults, readSnapshot } from './check.ts'

async function findLateJobs(ctx: AppContext) {
  const late = await readSnapshot(ctx, listLateJobs)
  return summariseFaults(
    late.map(({ name, waiting, silent, oldestSeconds }) => {
      const jobs = [
        ...(waiting > 0 ? [waiting === 1 ? '1 job waits' : `${waiting} jobs wait`] : []),
        ...(silent > 0
          ? [`${silent === 1 ? '1 job is' : `${silent} jobs are`} held by a process that is gone`]
          : []),
      ]
      return `${name}: ${jobs.join(', ')}, the oldest for ${Math.round(oldestSeconds / 60)} min`
    }),
  )
}

/** Constraints and indexes that a broken change of the schema left unfinished. */
async function findInvalidIndexes(ctx: AppContext) {
  const { rows } = await readSnapshot(ctx, (db) =>
    sql<{ name: string }>`
      select indexrelid::regclass::text as name from pg_index
      where not (indisvalid and indisready) order by 1`.execute(db),
  )
  return summariseFaults(rows.map(({ name }) => `${name} is not valid`))
}

const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const

/** Without one of these, a crash may take back what was answered, or spoil the files of the database. */
async function findForgetfulSettings(ctx: AppContext) {
  const { rows } = await readSnapshot(ctx, (db) =>
    sql<{ name: string }>`
      select name from pg_settings
      where name = any(${DURABLE}::text[]) and setting = 'off' order by name`.execute(db),
  )
  return summariseFaults(
    rows.map(({ name }) => `${name} is off: a crash may lose what was accepted`),
    await otherNodes(ctx),
  )
}

/** The planner knows new workspaces, and removed rows give their space back, only while autovacuum runs (decision 42). */
async function findUntendedTables(ctx: AppContext) {
  const { rows } = await readSnapshot(ctx, (db) =>
    sql<{ fault: string }>`
      select name || ' is off: lists get slower and files larger' as fault from pg_settings
      where name in ('autovacuum', 'track_counts') and setting = 'off'
      union all
      select oid::regclass || ' has autovacuum_enabled = off' from pg_class
      where exists (
        select from pg_options_to_table(reloptions)
        where option_name = 'autovacuum_enabled' and not option_value::boolean)
      order by 1`.execute(db),
  )
  return summariseFaults(
    rows.map(({ fault }) => fault),
    await otherNodes(ctx),
  )
}

/** Advice, not a fault: that is how one tries Plimsoll out. */
async function findUnpatchedServer({ db, config }: AppContext) {
  const isOurs = config.databaseUrl === undefined && process.platform === 'linux'
  const advice = isOurs && (await isBundledServer(db)) ? [BUNDLED_ADVICE] : []
  return { ...summariseFaults([]), advice }
}

/** Tables that somebody dropped are noticed nowhere else: the list of applied migrations still names theirs. */
export async function findOtherSchema(ctx: Pick<AppContext, 'db'>) {
  const [found, isOnNodes] = await Promise.all([describeSchema(ctx.db), hasCitus(ctx.db)])
  const release = readExpectedSchema()
  const expected = isOnNodes ? leaveOutForCitus(release) : release
  const { faults, unknown } = compareSchemas(expected, found)
  return summariseFaults(faults, unknown.slice(0, MOST_SHOWN))
}

async function otherNodes({ db }: Pick<AppContext, 'db'>): Promise<string[]> {
  return (await hasCitus(db)) ? ['settings of the workers of Citus: look there yourself'] : []
}

export const schemaCheck: Check = {
  scope: 'Installation',
  name: 'schema',
  meaning: 'tables, columns, constraints and indexes are those that the migrations make',
  remedy:
    'A missing index or constraint can be made again as it is written here (`alter table … add constraint …`). Rows of a missing table or column are only in a backup: restore the last one into an empty database.',
  find: findOtherSchema,
}

export const installationChecks: readonly Check[] = [
  {
    scope: 'Installation',
    name: 'migrations',
    meaning: 'all migrations of this release are applied',
    remedy: 'Run `plimsoll-admin migrate`.',
    find: async ({ pool }) =>
      summariseFaults((await listMissingMigrations(pool)).map((name) => `${name} is not applied`)),
  },
  schemaCheck,
  fileStoreCheck,
  {
    scope: 'Installation',
    name: 'indexes',
    meaning: 'all indexes are complete',
    remedy: 'Run `reindex index concurrently NAME` in the database for each.',
    find: findInvalidIndexes,
  },
  {
    scope: 'Installation',
    name: 'durability',
    meaning: 'what the database has committed survives a crash',
    remedy: 'Switch the settings on in postgresql.conf, and let the database read it again.',
    find: findForgetfulSettings,
  },
  {
    scope: 'Installation',
    name: 'autovacuum',
    meaning: 'the database counts and cleans its tables by itself',
    remedy:
      'Switch the settings on in postgresql.conf; for a table, `alter table NAME reset (autovacuum_enabled)`.',
    find: findUntendedTables,
  },
  {
    scope: 'Installation',
    name: 'embedded-database',
    meaning: 'the embedded PostgreSQL and its libraries get patches of a distribution',
    find: findUnpatchedServer,
  },
  {
    scope: 'Installation',
    name: 'jobs',
    meaning: 'no job waits for 15 minutes, and those that run are held by a process that lives',
    remedy: '`plimsoll-admin status` says whether a worker runs; its log says what fails.',
    find: findLateJobs,
  },
]

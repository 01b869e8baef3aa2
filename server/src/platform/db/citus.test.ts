/** Much of it runs only where `PLIMSOLL_TEST_DATABASE_URL` names a server of Citus. */
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type pg from 'pg'
import { expect, it } from 'vitest'
import { createEmptyDatabase } from '../../../test/database.ts'
import { becomeCluster, isOfCitus } from '../../../test/citus.ts'
import { JOBS } from '../jobs/queue.ts'
import { splitForNodes, WITHOUT_PARTIAL_NULL } from './citus.ts'
import { createPool } from './connect.ts'
import { distributeTables, migrate } from './migrate.ts'

const MIGRATIONS = resolve(import.meta.dirname, '../../../migrations')

/** What a later release may do: a table that refers to spread ones, and changes of one that is spread. */
const NEXT = `
  -- A note; it ends nothing.
  create table notes (
    workspace_id uuid not null references workspaces on delete cascade,
    firmware_id uuid not null,
    text text not null default 'a;b',
    primary key (workspace_id, firmware_id),
    foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade
  );
  create index notes_text on notes (workspace_id, text);
  insert into notes (workspace_id, firmware_id) select workspace_id, id from firmwares;
  alter table firmwares add column note_count int not null default 0;
  alter table firmwares add constraint firmwares_note_count_check check (note_count >= 0);
  update firmwares set note_count = 1;
  alter table firmwares add column owner_id uuid;
  alter table firmwares
    add constraint firmwares_owner_fkey foreign key (workspace_id, owner_id)
      references members (workspace_id, subject_id) on delete set null (owner_id);`

function givenNextRelease(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-next-'))
  for (const name of readdirSync(MIGRATIONS))
    symlinkSync(join(MIGRATIONS, name), join(folder, name))
  writeFileSync(join(folder, '9999-notes.sql'), NEXT)
  return folder
}

/** The release from which on tables may be spread: all later migrations have to run on nodes. */
function givenFirstOnNodes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-first-'))
  for (const name of readdirSync(MIGRATIONS).filter((one) => one < '0058'))
    symlinkSync(join(MIGRATIONS, name), join(folder, name))
  return folder
}

async function givenPool(): Promise<pg.Pool> {
  const { connectionString } = await createEmptyDatabase()
  return createPool({ connectionString, poolSize: 1, onError: () => undefined })
}

/** A connection for jobs, which each process of the service has. */
async function givenJobs({ options }: pg.Pool): Promise<pg.Pool> {
  const { connectionString = '' } = options
  const jobs = createPool({ connectionString, poolSize: 1, name: JOBS, onError: () => undefined })
  await jobs.query('select')
  return jobs
}

async function listForeignKeys(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `select tables.relname || ' ' || conname || ' ' || pg_get_constraintdef(keys.oid) as key
     from pg_constraint as keys
     join pg_class as tables on tables.oid = conrelid
     join pg_class as targets on targets.oid = confrelid
     where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace
     order by 1`,
  )
  return rows.map(({ key }) => key)
}

async function givenFirmware(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into workspaces (id, name, created_at, updated_at) values (gen_random_uuid(), 'acme', now(), now())
     returning id`,
  )
  await pool.query(
    `insert into firmwares (workspace_id, id, slug, name, created_at, updated_at)
     values ($1, gen_random_uuid(), 'a', 'A', now(), now())`,
    [rows[0]?.id],
  )
}

it('leaves out keys that Citus refuses, of each migration', () => {
  const executed = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .flatMap((name) => splitForNodes(readFileSync(join(MIGRATIONS, name), 'utf8')))
    .filter((statement) => !/^create table\b/i.test(statement))

  expect(executed.filter((statement) => WITHOUT_PARTIAL_NULL.test(statement))).toEqual([])
})

it('spreads all tables, and those of later migrations, with their keys and rows', async ({
  skip,
}) => {
  const [pool, plain] = [await givenPool(), await givenPool()]
  if (!(await isOfCitus(pool))) skip('PLIMSOLL_TEST_DATABASE_URL names no server of Citus')
  for (const one of [pool, plain]) {
    await migrate(one, undefined, givenFirstOnNodes())
    await givenFirmware(one)
  }
  await becomeCluster(pool)
  const service = await givenJobs(pool)
  await expect(distributeTables(pool, () => undefined)).rejects.toThrow('The service runs')
  await service.end()
  const last = await pool.query<{ checksum: string }>(
    `delete from schema_migrations where name = '0057-audit-search-text.sql' returning checksum`,
  )
  await expect(distributeTables(pool, () => undefined)).rejects.toThrow(
    'The database lacks migration 0057-audit-search-text.sql',
  )
  const noteLast = () =>
    pool.query(`insert into schema_migrations values ('0057-audit-search-text.sql', $1)`, [
      last.rows[0]?.checksum,
    ])
  await noteLast()
  // Backups mark days that are over.
  await pool.query(`
    create table metric_points_20200102 partition of metric_points for values from ('2020-01-02') to ('2020-01-03');
    create function noted() returns trigger language plpgsql as 'begin return null; end';
    create trigger day_mark after insert on metric_points_20200102 for each row execute function noted()`)
  await distributeTables(pool, () => undefined)

  await pool.query(`delete from schema_migrations where name = '0057-audit-search-text.sql'`)
  await expect(migrate(pool)).rejects.toThrow('were spread over nodes by a release before')
  await noteLast()
  for (const one of [pool, plain]) await migrate(one, undefined, givenNextRelease())

  const again = await distributeTables(pool, () => undefined)
  expect(again).toEqual({ byWorkspace: [], bySeries: [], onEachNode: [], foreignKeys: 0 })
  const { rows } = await pool.query(
    'select text, note_count from notes join firmwares using (workspace_id)',
  )
  expect(rows).toEqual([{ text: 'a;b', note_count: 1 }])
  const isKept = (key: string) => !WITHOUT_PARTIAL_NULL.test(key)
  expect(await listForeignKeys(pool)).toEqual((await listForeignKeys(plain)).filter(isKept))
  await pool.end()
  await plain.end()
})

/** `plimsoll-admin` as people run it, on a database that something is wrong with. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { beforeEach, expect, it } from 'vitest'
import { JOBS } from '../src/platform/jobs/queue.ts'
import { createTestDatabase } from './database.ts'
import { runAdmin, type ServiceSettings } from './service-process.ts'

let connectionString: string
let settings: ServiceSettings

beforeEach(async () => {
  const database = await createTestDatabase()
  connectionString = database.connectionString
  settings = {
    dataDir: mkdtempSync(join(tmpdir(), 'plimsoll-admin-')),
    port: 0,
    managementPort: 0,
    env: { DATABASE_URL: connectionString },
  }
})

async function withClient(use: (client: pg.Client) => Promise<unknown>, name = 'test') {
  const client = new pg.Client({ connectionString, application_name: name })
  await client.connect()
  await use(client).finally(() => client.end())
}

const execute = (text: string) => withClient((client) => client.query(text))
const admin = (...args: string[]) => runAdmin(settings, ...args)

/** What `citus distribute` calls, as a plain PostgreSQL can have it: nothing is spread. */
const LIKE_CITUS = `
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    values (99999, 'citus', 10, 'pg_catalog'::regnamespace, false, '0');
  create schema like_citus;
  create table like_citus.pg_dist_partition (logicalrelid regclass);
  create view like_citus.citus_tables as
    select null::regclass as table_name, '' as citus_table_type, '' as distribution_column limit 0;
  create function like_citus.create_distributed_table(text, text, colocate_with text, shard_count int default 8)
    returns void return null;
  create function like_citus.create_reference_table(text) returns void return null;
  create function like_citus.create_distributed_function(text) returns void return null;`

it('spreads tables while no process of the service runs, and counts its own sessions as none', async () => {
  await execute(LIKE_CITUS)
  const { pathname } = new URL(connectionString)
  await execute(`alter database ${pathname.slice(1)} set search_path = public, like_citus`)

  await withClient(async () => {
    const refused = await admin('citus', 'distribute')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('The service runs and uses this database')
  }, JOBS)

  const { code, stdout } = await admin('citus', 'distribute', '--json')
  expect(code).toBe(0)
  const done = JSON.parse(stdout) as Record<string, number>
  expect(done['byWorkspace']).toBeGreaterThan(50)
  expect(done['foreignKeys']).toBeGreaterThan(50)
})

it('finds tables that somebody dropped, and says what to do', async () => {
  await execute('drop table saved_views, device_logs')

  const { code, stdout } = await admin('doctor', '--check', 'schema', 'migrations')

  expect(stdout).toContain('FAULTS  schema: 2;')
  expect(stdout).toContain('the table device_logs is missing')
  expect(stdout).toContain('advice: ')
  expect(stdout).toContain('ok      migrations')
  expect(code).toBe(1)
})

it('tells it also where nothing else can be examined any more', async () => {
  await execute('drop table secrets')

  const { code, stdout, stderr } = await admin('doctor')

  expect(stderr).toMatch(/^The schema of the database is not that of this release: .*"secrets"/m)
  expect(stderr).not.toContain('    at ')
  expect(stdout).toContain('the table secrets is missing')
  expect(code).toBe(1)
})

it('ends the doctor with the code of an examination that did not happen, when it is called wrongly', async () => {
  expect(await admin('doctor', '--chek', 'jobs')).toMatchObject({ code: 3, stdout: '' })
  expect(await admin('doctor', '--check', 'nothing')).toMatchObject({ code: 3, stdout: '' })
  expect(await admin('doctor', '--help')).toMatchObject({ code: 0, stderr: '' })
})

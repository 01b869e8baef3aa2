import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEmptyDatabase } from '../../../test/database.ts'
import { createPool } from './connect.ts'
import { distributeTables, migrate, readMissingMigrations } from './migrate.ts'
import { planMigrations } from './migration-plan.ts'

async function givenPool() {
  const { connectionString } = await createEmptyDatabase()
  return createPool({ connectionString, poolSize: 4, onError: () => undefined })
}

function givenMigrations(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-migrations-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

it('applies each migration once, also when several processes start together', async () => {
  const pool = await givenPool()
  const folder = givenMigrations({
    '0001-a.sql': 'create table a (x int)',
    '0002-b.sql': 'insert into a values (1)',
  })

  await Promise.all([1, 2, 3].map(() => migrate(pool, undefined, folder)))

  expect((await pool.query('select * from a')).rows).toEqual([{ x: 1 }])
  await pool.end()
})

it('refuses a migration whose text has changed', async () => {
  const pool = await givenPool()
  await migrate(pool, undefined, givenMigrations({ '0001-a.sql': 'select 1' }))

  await expect(
    migrate(pool, undefined, givenMigrations({ '0001-a.sql': 'select 2' })),
  ).rejects.toThrow('Migration 0001-a.sql differs')
  await pool.end()
})

it('refuses a database that a newer release has migrated, and says what to do', async () => {
  const pool = await givenPool()
  await migrate(
    pool,
    undefined,
    givenMigrations({ '0001-a.sql': 'select 1', '0002-b.sql': 'select 1' }),
  )

  await expect(
    migrate(pool, undefined, givenMigrations({ '0001-a.sql': 'select 1' })),
  ).rejects.toThrow(
    /newer release: it holds 0002-b\.sql\. Start that release, or a newer one\. .*restore the backup/,
  )
  await pool.end()
})

it('refuses a database that no release has made, says what to do, and changes nothing', async () => {
  const pool = await givenPool()
  const made = { '0001-foundation.sql': 'create table a (x int)', '0002-b.sql': 'select 1' }
  await migrate(pool, undefined, givenMigrations(made))
  const { rows: before } = await pool.query('select * from schema_migrations order by name')

  // The second name is the same by chance.
  const release = givenMigrations({ '0001-workspaces.sql': 'select 1', '0002-b.sql': 'select 1' })
  const refusal =
    /from before release 0\.1\.0 \(its first migration is 0001-foundation\.sql\).*: start with an empty database/
  await expect(migrate(pool, undefined, release)).rejects.toThrow(refusal)
  await expect(readMissingMigrations(pool, release)).rejects.toThrow(refusal)

  const { rows } = await pool.query('select * from schema_migrations order by name')
  expect(rows).toEqual(before)
  await pool.end()
})

it('leaves nothing of a migration that fails', async () => {
  const pool = await givenPool()
  const broken = givenMigrations({ '0001-a.sql': 'create table a (x int); select nonsense' })

  await expect(migrate(pool, undefined, broken)).rejects.toThrow('nonsense')
  await migrate(pool, undefined, givenMigrations({ '0001-a.sql': 'create table a (y int)' }))

  expect((await pool.query('select y from a')).rows).toEqual([])
  await pool.end()
})

it('lets others use a table while it waits for one who does', async () => {
  const pool = await givenPool()
  const first = { '0001-a.sql': 'create table a (x int)' }
  await migrate(pool, undefined, givenMigrations(first))
  const user = await pool.connect()
  await user.query('begin; select from a')
  const said: string[] = []
  const folder = givenMigrations({ ...first, '0002-b.sql': 'alter table a add column y int' })

  const migrated = migrate(pool, (text) => said.push(text), folder)
  await expect.poll(() => said).toContain('migration 0002-b.sql waits for tables that are in use')
  const others = await pool.query('select x from a')
  await user.query('commit')
  user.release()
  await migrated

  expect(others.rows).toEqual([])
  expect((await pool.query('select y from a')).rows).toEqual([])
  await pool.end()
})

it('tells what missing migrations would do to rows that there are, and changes nothing', async () => {
  const pool = await givenPool()
  const first = { '0001-a.sql': 'create table big (x int); create table small (x int)' }
  await migrate(pool, undefined, givenMigrations(first))
  await pool.query('insert into big select generate_series(1, 1000)')
  await pool.query('analyze big')
  const folder = givenMigrations({
    ...first,
    '0002-b.sql': `-- update small
      alter table big add column y int; update big set y = x; create index big_y on big (y)`,
    '0003-c.sql': 'create table fresh (x int); create index fresh_x on fresh (x)',
    '0004-d.sql': 'alter table small add column y int',
  })

  const plan = await planMigrations(pool, await readMissingMigrations(pool, folder))

  expect(plan).toMatchObject([
    {
      name: '0002-b.sql',
      tables: [{ table: 'big', effect: 'changes rows', rows: 1000, seconds: 1 }],
    },
    { name: '0003-c.sql', tables: [] },
    { name: '0004-d.sql', tables: [{ table: 'small', effect: 'locks', rows: 0, seconds: 0 }] },
  ])
  expect(await readMissingMigrations(pool, folder)).toHaveLength(3)
  await pool.end()
})

it('spreads nothing over nodes where the server is not one of Citus', async () => {
  const pool = await givenPool()

  expect(await distributeTables(pool, () => undefined)).toBeUndefined()
  await pool.end()
})

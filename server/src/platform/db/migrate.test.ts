import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEmptyDatabase } from '../../../test/database.ts'
import { createPool } from './connect.ts'
import { migrate } from './migrate.ts'

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

it('refuses a database that a newer release has migrated', async () => {
  const pool = await givenPool()
  await migrate(
    pool,
    undefined,
    givenMigrations({ '0001-a.sql': 'select 1', '0002-b.sql': 'select 1' }),
  )

  await expect(
    migrate(pool, undefined, givenMigrations({ '0001-a.sql': 'select 1' })),
  ).rejects.toThrow('newer release')
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

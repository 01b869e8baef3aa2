import pg from 'pg'
import { expect, it } from 'vitest'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './database.ts'

async function query(database: TestDatabase, text: string): Promise<unknown[]> {
  const client = new pg.Client(database)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

it('gives each test a migrated database of its own', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()])
  await query(one, 'create table only_here (id int)')

  expect(await query(one, 'select count(*)::int as n from schema_migrations')).not.toEqual([
    { n: 0 },
  ])
  expect(await query(one, `select to_regclass('only_here') is null as absent`)).toEqual([
    { absent: false },
  ])
  expect(await query(other, `select to_regclass('only_here') is null as absent`)).toEqual([
    { absent: true },
  ])
})

it('gives tests of the migrations a database without tables', async () => {
  const database = await createEmptyDatabase()

  expect(await query(database, `select to_regclass('workspaces') is null as absent`)).toEqual([
    { absent: true },
  ])
})

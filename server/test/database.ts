/** Fresh, migrated databases for tests. They are never dropped, since the server of the run is thrown away. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inject } from 'vitest'
import { onEachNode } from './citus.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    databaseFolder: string
  }
}

export interface TestDatabase {
  connectionString: string
}

export const TEMPLATE = 'plimsoll_template'

type Announcement = { connectionString: string } | { failure: string }

/** Tells the test processes that the server is ready, or why it is not. */
export function announce(folder: string, announcement: Announcement): void {
  writeFileSync(join(folder, 'server.new'), JSON.stringify(announcement))
  renameSync(join(folder, 'server.new'), join(folder, 'server.json'))
}

/** A copy of the migrated template. Copying its files takes a third of the time that logging its pages takes. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(`template ${TEMPLATE} strategy file_copy`)
}

/** One without tables, for tests of the migrations themselves. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('')
}

async function createDatabase(clause: string): Promise<TestDatabase> {
  const server = await findServer()
  const name = `test_${randomBytes(8).toString('hex')}`
  server.pathname = '/postgres'
  await onEachNode(server.href, async (client) => {
    await client.query(`create database ${name} ${clause}`)
  })
  server.pathname = `/${name}`
  return { connectionString: server.href }
}

async function findServer(): Promise<URL> {
  const file = join(inject('databaseFolder'), 'server.json')
  while (!existsSync(file)) await delay(20)
  const announcement = JSON.parse(readFileSync(file, 'utf8')) as Announcement
  if ('failure' in announcement)
    throw new Error(`The test database server could not be made ready: ${announcement.failure}`)
  return new URL(announcement.connectionString)
}

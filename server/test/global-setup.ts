/** One temporary PostgreSQL server for the whole run, with a migrated template for the test databases. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { MESSAGES } from '../src/messages.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/platform/db/embedded-postgres.ts'
import { distributeTables, migrate } from '../src/platform/db/migrate.ts'
import { Queue } from '../src/platform/jobs/queue.ts'
import { createLog } from '../src/platform/log.ts'
import { becomeCluster, isOfCitus, onEachNode } from './citus.ts'
import { announce, TEMPLATE } from './database.ts'

/** The databases of a run are 3 GB in 150,000 files, which memory takes in half the processor time. */
const MEMORY = '/dev/shm'
const ROOM = 10 * 1024 ** 3

let starting: Promise<Pick<EmbeddedPostgres, 'stop'> | undefined> = Promise.resolve(undefined)

/** Does not wait for the server: pure tests run meanwhile, and tests with a database wait themselves. */
export function setup(project: TestProject): void {
  const testFolder = makeFolder(tmpdir())
  const given = process.env['PLIMSOLL_TEST_DATABASE_URL']
  const started = given === undefined ? startWithTemplate(testFolder) : useGiven(given)
  starting = started.then(
    (server) => {
      announce(testFolder, { connectionString: server.connectionString })
      return server
    },
    (error: unknown) => {
      announce(testFolder, { failure: String(error) })
      return undefined
    },
  )
  project.provide('databaseFolder', testFolder)
  // Files that tests leave behind, also killed ones, are deleted with the run.
  const temporary = join(testFolder, 'tmp')
  mkdirSync(temporary, { mode: 0o777 })
  chmodSync(temporary, 0o777)
  chmodSync(testFolder, 0o755)
  process.env['TMPDIR'] = temporary
  // Tests start the service and its children many times.
  process.env['NODE_COMPILE_CACHE'] = join(temporary, 'compile-cache')
}

export async function teardown(): Promise<void> {
  const server = await starting
  await server?.stop()
}

/** Deletes the folder once this process has ended, also when it is killed. */
const DELETE_AFTERWARDS = 'while kill -0 "$0" 2> /dev/null; do sleep 1; done; rm -rf "$1"'

/**
 * A folder that goes with the run. More than a hundred databases of a thousand files each: nobody has to wait until they are
 * deleted. In memory, those of killed runs would be missing until the next start of the machine.
 */
function makeFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'plimsoll-test-'))
  const command = ['-c', DELETE_AFTERWARDS, String(process.pid), folder]
  spawn('sh', command, { detached: true, stdio: 'ignore' }).unref()
  return folder
}

function makeDatabaseFolder(testFolder: string): string {
  if (!hasRoomInMemory()) return join(testFolder, 'postgres')
  return makeFolder(MEMORY)
}

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, freemem()) >= ROOM
  } catch {
    // Only Linux has it.
    return false
  }
}

async function startWithTemplate(testFolder: string): Promise<EmbeddedPostgres> {
  const lastLines: string[] = []
  const server = await startEmbeddedPostgres({
    dataDir: makeDatabaseFolder(testFolder),
    log: (line) => lastLines.push(line),
    durable: false,
    maxConnections: 400,
  })
  try {
    await makeTemplate(server.connectionString)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** A server of ours, which has the databases of this run until somebody drops them; with Citus, if it has that. */
async function useGiven(connectionString: string) {
  await onEachNode(connectionString, async (admin) => {
    await admin.query(`drop database if exists ${TEMPLATE} with (force)`)
    await admin.query('drop database if exists plimsoll with (force)')
    await admin.query('create database plimsoll')
  })
  const url = new URL(connectionString)
  url.pathname = '/plimsoll'
  await makeTemplate(url.href)
  return { connectionString, stop: () => Promise.resolve() }
}

/** The server's own database becomes the template; nothing else connects to it under that name. */
async function makeTemplate(connectionString: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 1 })
  try {
    await migrate(pool)
    if (await isOfCitus(pool)) {
      await becomeCluster(pool)
      await distributeTables(pool, () => undefined)
    }
  } finally {
    await pool.end()
  }
  const queue = new Queue({ connectionString, log: createLog('silent'), supervise: false })
  await queue.start(MESSAGES)
  await queue.stop()
  const url = new URL(connectionString)
  url.pathname = '/postgres'
  await onEachNode(url.href, async (admin) => {
    // Processes of an extension, as those of Citus, stay connected; they come back when they are needed.
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'plimsoll'`,
    )
    await admin.query(`alter database plimsoll rename to ${TEMPLATE}`)
  })
}

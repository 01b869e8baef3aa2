/** The service's HTTP app on a database of its own, with its jobs run on demand or by real workers. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApi } from '../src/api.ts'
import { type Config, readConfig, ROLES } from '../src/config/config.ts'
import { openDoors } from '../src/device-doors.ts'
import { issueApiKey, type Scope } from '../src/features/auth/index.ts'
import type { DeviceDoors } from '../src/features/devices/index.ts'
import { getEvaluationFailures } from '../src/features/matching/index.ts'
import { bootstrapWorkspace } from '../src/features/workspaces/index.ts'
import { MESSAGES } from '../src/messages.ts'
import { openContext } from '../src/open-context.ts'
import type { Actor } from '../src/platform/actor.ts'
import type { AppContext } from '../src/platform/context.ts'
import type { Pools } from '../src/platform/db/connect.ts'
import type { App } from '../src/platform/http/app.ts'
import type { Queue } from '../src/platform/jobs/queue.ts'
import { createLog } from '../src/platform/log.ts'
import { startWorker } from '../src/worker.ts'
import { checkAnswers } from './answers.ts'
import { createTestDatabase } from './database.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { errorsLogged } from './errors-logged.ts'

export interface TestWorkspace {
  workspaceId: string
  apiKey: string
}

export interface TestApp {
  app: App
  ctx: AppContext
  doors: DeviceDoors
  pools: Pools
  queue: Queue
  connectionString: string
  /** A workspace of its own with a key that holds every scope. */
  givenWorkspace: () => Promise<TestWorkspace>
  givenKey: (workspaceId: string, scopes: readonly Scope[]) => Promise<string>
  startWorker: () => Promise<void>
  close: () => Promise<void>
}

const TESTER: Actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined }

let shared: Promise<TestApp> | undefined

/**
 * The app of the worker that runs the test file, for tests that need no more than workspaces of their own. Tests that
 * change settings or the clock, run jobs, look at tables that all workspaces share, or listen on a port start their own.
 */
export function sharedTestApp(): Promise<TestApp> {
  shared ??= openTestApp({}).then((test) => ({ ...test, ...FORBIDDEN }))
  return shared
}

const refuse = () => Promise.reject(new Error('This app is shared: use startTestApp() instead.'))
/** The shared app ends with its worker. */
const FORBIDDEN = { startWorker: refuse, close: refuse }

/** Tests do all their work on one of the pools. */
export function poolsOf(size: number): Config['databasePools'] {
  return { api: size, devices: size, work: size, slow: size, health: size, ready: 1 }
}

/** Tests hash many passwords. */
const CHEAP = { memoryKibibytes: 64, passes: 1, parallelism: 1 }

/** An app on a database of its own, or a further node on that of another. It ends with the test file. */
export async function startTestApp(
  overrides: Partial<Config> = {},
  joined?: string,
): Promise<TestApp> {
  const test = await openTestApp(overrides, joined)
  closeAtEndOfFile(() => {
    const closed = test.close()
    // Clients of the tests may hold theirs open.
    test.app.server.closeAllConnections()
    return closed
  })
  return test
}

async function openTestApp(overrides: Partial<Config>, joined?: string): Promise<TestApp> {
  const connectionString = joined ?? (await createTestDatabase()).connectionString
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-test-'))
  const environment = {
    DATABASE_URL: connectionString,
    PLIMSOLL_DATA_DIR: dataDir,
    PLIMSOLL_RATE_LIMIT_PER_MINUTE: '0',
    PLIMSOLL_FEEDS: 'off',
    PLIMSOLL_PORTAL: 'off',
  }
  const read = readConfig(environment)
  const people = { ...read.people, passwordCost: CHEAP }
  const config = { ...read, people, databasePools: poolsOf(8), ...overrides }
  const level = process.env['PLIMSOLL_TEST_LOG']
  const log = level === undefined ? createLog('error', errorsLogged) : createLog(level)
  const opened = await openContext({
    config,
    log,
    onProgress: () => undefined,
    messages: MESSAGES,
    as: 'service',
  })
  const { ctx } = opened
  // A fault in matching fails the test that meets it.
  const failures = getEvaluationFailures(ctx)
  failures.isStrict = true
  const doors = openDoors(ctx)
  const app = await buildApi(ctx, { watch: checkAnswers, showsDocs: false, roles: ROLES, doors })
  await app.ready()
  const closers: (() => Promise<unknown> | void)[] = [
    () => rm(dataDir, { recursive: true, force: true }),
    opened.close,
    doors.intake.close,
    () => app.close(),
  ]
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer()
    if (failures.isStrict && failures.last)
      throw new Error(`Matching failed: ${JSON.stringify(failures.last)}`)
  }
  return {
    app,
    ctx,
    doors,
    pools: opened.pools,
    queue: opened.queue,
    connectionString,
    close,
    givenWorkspace: () =>
      bootstrapWorkspace(ctx, {
        name: 'Acme',
        ownerEmail: `owner-${crypto.randomUUID()}@example.com`,
        actor: TESTER,
      }),
    givenKey: async (workspaceId, scopes) => {
      const input = {
        workspaceId,
        name: 'test',
        scopes,
        createdByEmail: 'tester@example.com',
        actor: TESTER,
      }
      const { apiKey } = await ctx.db.transaction().execute((tx) => issueApiKey(ctx, tx, input))
      return apiKey
    },
    startWorker: async () => {
      closers.push(await startWorker(ctx, opened.queue))
    },
  }
}

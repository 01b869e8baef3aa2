/** Opens the context of the service and of the operator's commands: database, queue, files. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PostgresPool } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { READ_EVERY_MS, readSigningKeys } from './features/auth/index.ts'
import { Calculators } from './platform/calculators.ts'
import { ChildPool } from './platform/child-pool.ts'
import type { AppContext } from './platform/context.ts'
import { keepBlobsDuringBackups } from './platform/blobs/keeping-during-backups.ts'
import { openBlobStore } from './platform/blobs/open-blob-store.ts'
import { readDatabaseTime, SharedClock } from './platform/db/clock.ts'
import { createDb, createPool, type Pools, type Purpose } from './platform/db/connect.ts'
import { BUNDLED_ADVICE } from './platform/db/embedded-binaries.ts'
import {
  connectOrStartEmbeddedPostgres,
  type DatabaseAccess,
  startEmbeddedPostgres,
} from './platform/db/embedded-postgres.ts'
import { openReplica, type OpenedReplica } from './platform/db/open-replica.ts'
import { createFairPool } from './platform/db/fair-pool.ts'
import type { Replica } from './platform/db/replica.ts'
import { type StatementWatch, watchStatements } from './platform/db/statement-watch.ts'
import { migrate } from './platform/db/migrate.ts'
import { createPostClient } from './platform/http-client/index.ts'
import { type Message, Queue } from './platform/jobs/queue.ts'
import { openMailer } from './platform/mail/mailer.ts'
import { NodeMemory } from './platform/node-memory.ts'
import { GIVING_WAY, LARGE_DOCUMENTS, lowerPriority } from './platform/priority.ts'
import { SigningKey } from './platform/signing-key.ts'
import { startTicker } from './platform/ticker.ts'
import { ALLOWED_HOSTS } from './config/webhook-settings.ts'
import { REACTIONS } from './reactions.ts'
import { requireEncryptionKeys } from './stored-secrets.ts'

export interface OpenOptions {
  config: Config
  log: Logger
  /** Gets the steps that take time, for a person to read. */
  onProgress: (text: string) => void
  /** Every message that may be enqueued, as their queues have to exist. */
  messages: readonly Message[]
  /** `service` starts the embedded server and maintains the queue. `command` uses a server that runs. */
  as: 'service' | 'command'
}

export interface OpenedContext {
  /** For jobs, schedules and commands. */
  ctx: AppContext
  /** The same for another purpose: with connections of its own. */
  contextFor: (purpose: Purpose) => AppContext
  pools: Pools
  queue: Queue
  /** undefined: there is no read replica. */
  replica: Replica | undefined
  close: () => Promise<void>
}

const PARSER = new URL('./features/sboms/parsing/parser-process.ts', import.meta.url)
const EXAMINER = new URL('./features/image-checks/examiner-process.ts', import.meta.url)
const IDLE_PARSER_MS = 30_000
/** As many as images are checked at once: one, and one more for a workspace of which none is checked. */
const EXAMINERS = 2
/** A signature over the image itself needs 64 MiB of it, outside of the heap. */
const EXAMINER_HEAP_MEGABYTES = 128

export async function openContext(options: OpenOptions): Promise<OpenedContext> {
  const { config, log } = options
  const closers: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    const database = await openDatabase(options)
    closers.push(database.release)
    const pools = openPools(options, database.connectionString)
    for (const pool of Object.values(pools)) closers.push(() => pool.end())
    await migrate(pools.work, options.onProgress)
    const watch = watchStatements(log, config.slowStatementMs)
    const db = createDb(pools.work, watch)
    await requireEncryptionKeys(db, config.encryptionKeys)
    const now = await openClock(options, pools.work, closers)
    const queue = new Queue({
      connectionString: database.connectionString,
      log,
      supervise: options.as === 'service',
    })
    const readers = { parsers: openParsers(config), examiners: openExaminers() }
    for (const pool of Object.values(readers)) closers.push(() => pool.close())
    const replica = openReplica({ config, log, connectionString: database.connectionString })
    if (replica) closers.push(() => replica.close())
    const calculators = new Calculators({
      connectionString: database.connectionString,
      isOwnServer: config.databaseUrl === undefined,
      replica: replica && { connectionString: replica.connectionString, state: replica.state },
    })
    closers.push(() => calculators.close())
    const { caFile, proxies } = config.feeds.http
    const http = createPostClient({ ...config.webhooks, allowedBy: ALLOWED_HOSTS, caFile, proxies })
    closers.push(() => http.close())
    const mailer = openMailer(config.mail)
    await queue.start(options.messages)
    // Closed first: running jobs end, and no further job begins.
    closers.push(() => queue.stop())
    const blobs = keepBlobsDuringBackups(await openBlobStore(config.blobs), pools.work)
    const signingKey = await openSigningKey(options, { db, now, config }, closers)
    const memory = new NodeMemory()
    const outside = { blobs, ...readers, calculators, http, mailer, signingKey, memory, now, log }
    const slowDb = createDb(pools.slow, watch)
    const databases = { db, slowDb, reads: { quick: db, slow: slowDb }, pool: pools.work }
    const ctx = { config, ...databases, queue, ...outside, reactions: REACTIONS }
    const contextFor = contextsOn(pools, ctx, { watch, replica })
    return { ctx, contextFor, pools, queue, replica: replica?.state, close }
  } catch (error) {
    await close()
    throw error
  }
}

const openParsers = ({ sboms }: Config) =>
  new ChildPool({
    entry: fileURLToPath(PARSER),
    size: sboms.parsers + 1,
    reserved: 1,
    heapMegabytes: sboms.parserHeapMegabytes,
    idleMs: IDLE_PARSER_MS,
    niceness: LARGE_DOCUMENTS,
  })

/** They need the certificates that the operator trusts where they read from a file store by HTTPS, and nothing else of the environment. */
function openExaminers(): ChildPool {
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env
  return new ChildPool({
    entry: fileURLToPath(EXAMINER),
    size: EXAMINERS,
    heapMegabytes: EXAMINER_HEAP_MEGABYTES,
    idleMs: IDLE_PARSER_MS,
    niceness: LARGE_DOCUMENTS,
    ...(certificates !== undefined && { env: { NODE_EXTRA_CA_CERTS: certificates } }),
  })
}

/** The context for each purpose, on its own connections. */
function contextsOn(
  pools: Pools,
  ctx: AppContext,
  { watch, replica }: { watch: StatementWatch; replica: OpenedReplica | undefined },
) {
  const { connectionsPerWorkspace } = ctx.config
  return (purpose: Purpose): AppContext => {
    const pool = pools[purpose]
    const on = (one: PostgresPool) => createDb(one, watch)
    if (purpose !== 'api' && purpose !== 'devices') return { ...ctx, db: on(pool), pool }
    const each = Math.max(1, Math.min(connectionsPerWorkspace, Math.ceil(pool.options.max / 2)))
    const fair = createFairPool(pool, { each })
    if (purpose === 'devices') return { ...ctx, db: on(fair), pool }
    const primary = { quick: fair, slow: createFairPool(pools.slow, { each }) }
    const reads = replica?.pools(primary, each) ?? primary
    return { ...ctx, db: on(fair), reads: { quick: on(reads.quick), slow: on(reads.slow) }, pool }
  }
}

const CLOCK_SET_EVERY_MS = 10_000

async function openClock(
  { log, as }: OpenOptions,
  pool: Pool,
  closers: (() => Promise<void> | void)[],
): Promise<() => Date> {
  const clock = new SharedClock()
  const set = () => clock.set(() => readDatabaseTime(pool))
  await set()
  if (as === 'service')
    closers.push(
      startTicker({
        everyMs: CLOCK_SET_EVERY_MS,
        work: set,
        log,
        failure: 'asking the database for its time failed',
      }).stop,
    )
  return clock.now
}

/** A running node learns of a rotation by reading the keys again. */
async function openSigningKey(
  { log, as }: OpenOptions,
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>,
  closers: (() => Promise<void> | void)[],
): Promise<SigningKey> {
  const signingKey = new SigningKey(await readSigningKeys(ctx), ctx.now)
  if (as === 'service')
    closers.push(
      startTicker({
        everyMs: READ_EVERY_MS,
        work: async () => signingKey.replace(await readSigningKeys(ctx)),
        log,
        failure: 'reading the signing keys again failed',
      }).stop,
    )
  return signingKey
}

/** Connections are made when they are needed. */
function openPools({ config, log }: OpenOptions, connectionString: string): Pools {
  const open = (purpose: Purpose) =>
    createPool({
      connectionString,
      poolSize: config.databasePools[purpose],
      name: `plimsoll-${purpose}`,
      onError: ({ message }) =>
        log.warn({ err: { message }, pool: purpose }, 'database connection lost'),
    })
  return {
    api: open('api'),
    devices: open('devices'),
    work: open('work'),
    slow: givingWay(config, open('slow')),
    health: open('health'),
    ready: open('ready'),
  }
}

/** On a server of our own. On that of others, the pool only leaves the other connections free. */
function givingWay({ databaseUrl }: Config, pool: Pool): Pool {
  const lower = (client: PoolClient & { processID?: number }) =>
    lowerPriority(client.processID, GIVING_WAY)
  return databaseUrl === undefined ? pool.on('connect', lower) : pool
}

export async function openDatabase({
  config,
  log,
  onProgress,
  as,
}: Omit<OpenOptions, 'messages'>): Promise<DatabaseAccess> {
  if (config.databaseUrl !== undefined)
    return { connectionString: config.databaseUrl, release: () => Promise.resolve() }
  const options = {
    dataDir: join(config.dataDir, 'postgres'),
    place: config.embeddedPostgres,
    log: (text: string) => log.info({ postgres: text }, 'embedded database'),
    onProgress,
  }
  if (as === 'command') return connectOrStartEmbeddedPostgres(options)
  const server = await startEmbeddedPostgres(options)
  if (server.binaries.isBundled && process.platform === 'linux') log.warn(BUNDLED_ADVICE)
  return { connectionString: server.connectionString, release: server.stop }
}

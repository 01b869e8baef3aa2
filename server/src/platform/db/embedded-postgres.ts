/** A real PostgreSQL server as a child of the service, when no DATABASE_URL names another. */
import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { AppError, readCode } from '../errors.ts'
import { findPostgresBinaries, type PostgresBinaries } from './embedded-binaries.ts'
import {
  formatConnectionString,
  describeConnection,
  type EmbeddedConnection,
  findSocketFolder,
  prepareFolder,
  restoreSocketFolder,
} from './embedded-folder.ts'
import {
  EXIT_LOCKED,
  EXIT_NOT_CREATED,
  findLaunchUser,
  type Launch,
  launchPostgres,
} from './embedded-launch.ts'
import { endOrphan, isCreated, isServing } from './embedded-process.ts'

export interface EmbeddedPostgresOptions {
  /** The folder of the database, such as `<PLIMSOLL_DATA_DIR>/postgres`. It is created when it is missing. */
  dataDir: string
  /** The folder of PostgreSQL's programs; undefined: npm's, or the distribution's. */
  place?: string | undefined
  /** Gets the lines of PostgreSQL's log, and how the process ended. */
  log: (text: string) => void
  /** Gets the steps that take time, for a person to read. */
  onProgress?: (text: string) => void
  /** How long to wait for another server on the folder. The server of a killed service takes a moment to end. */
  lockWaitSeconds?: number
  /** False for the temporary servers of tests, whose data need not survive a crash of the machine. */
  durable?: boolean
  maxConnections?: number
}

export interface EmbeddedPostgres {
  connectionString: string
  connection: EmbeddedConnection
  binaries: PostgresBinaries
  /** The process of the server. It changes when the server is started again. */
  pid: () => number | undefined
  /** Fast shutdown: open transactions are rolled back. */
  stop: () => Promise<void>
}

export interface DatabaseAccess {
  connectionString: string
  /** Ends the server when this access started it. */
  release: () => Promise<void>
}

interface Server {
  launch: Launch
  options: EmbeddedPostgresOptions
  child: ChildProcess | undefined
  /** Stays the same when the server is started again. */
  socket: string | undefined
  stopping: AbortController
}

interface StartedServer {
  socket: string
  /** How the server ended, once it has. */
  end: Promise<string>
}

const SHUTDOWN_SECONDS = 60
const ADMIN_WAIT_SECONDS = 30

export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const server = prepareServer(options)
  const started = await startOnce(server).catch(async (error: unknown) => {
    await endServer(server)
    throw error
  })
  const { socket } = started
  server.socket = socket
  const supervision = supervise(server, started.end)
  return {
    connection: describeConnection(socket),
    binaries: server.launch.binaries,
    connectionString: formatConnectionString(describeConnection(socket)),
    pid: () => server.child?.pid,
    stop: async () => {
      server.stopping.abort()
      await endServer(server)
      await supervision
      rmSync(socket, { recursive: true, force: true })
    },
  }
}

/**
 * For commands that run beside the service or without it. They use the server that runs on the folder, or else start one
 * for as long as they need it. They wait for a service that is starting or ending.
 */
export async function connectOrStartEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<DatabaseAccess> {
  const folder = prepareFolder(options.dataDir)
  const deadline = Date.now() + ADMIN_WAIT_SECONDS * 1000
  for (;;) {
    const running = await findRunning(folder)
    if (running !== undefined)
      return { connectionString: running, release: () => Promise.resolve() }
    try {
      const server = await startEmbeddedPostgres({ ...options, lockWaitSeconds: 1 })
      return { connectionString: server.connectionString, release: server.stop }
    } catch (error) {
      if (!isInUse(error) || Date.now() > deadline) throw error
    }
  }
}

async function findRunning(folder: string): Promise<string | undefined> {
  const socket = findSocketFolder(folder)
  if (socket === undefined) return undefined
  const connectionString = formatConnectionString(describeConnection(socket))
  return (await isReady(connectionString)) ? connectionString : undefined
}

function prepareServer(options: EmbeddedPostgresOptions): Server {
  const folder = prepareFolder(options.dataDir)
  const cluster = join(folder, 'cluster')
  const binaries = findPostgresBinaries({ place: options.place, cluster })
  const user = findLaunchUser(folder, binaries.folder)
  const { durable = true, lockWaitSeconds = 10, maxConnections = 100 } = options
  const launch = { folder, binaries, user, durable, lockWaitSeconds, maxConnections }
  return {
    launch,
    options,
    child: undefined,
    socket: undefined,
    stopping: new AbortController(),
  }
}

/** Resolves when the server answers. Throws when it ends before. */
async function startOnce(server: Server): Promise<StartedServer> {
  const { launch, options } = server
  const { onProgress = () => undefined } = options
  await endOrphan(launch.folder)
  // From here to `server.child` nothing is awaited, so that stop() sees every process.
  server.stopping.signal.throwIfAborted()
  if (!isCreated(launch.folder)) onProgress(`Creating the database in ${launch.folder}`)

  if (server.socket !== undefined) restoreSocketFolder(server.socket, launch.user.owner)
  const child = launchPostgres(launch, server.socket)
  server.child = child
  const lastLines: string[] = []
  readLines(child, (line) => {
    options.log(line)
    lastLines.push(line)
    lastLines.splice(0, lastLines.length - 20)
  })
  const end = waitForEnd(child)
  for (let waited = 0; isRunning(child); waited++) {
    const socket = isServing(launch.folder, child.pid) && findSocketFolder(launch.folder)
    if (socket && (await isReady(formatConnectionString(describeConnection(socket)))))
      return { socket, end }
    if (waited === 200)
      onProgress('PostgreSQL is not ready yet; after a crash it first replays its log')
    await Promise.race([delay(waited < 100 ? 10 : 50), end])
  }
  throw startFailure(child, launch, `${await end}\n${lastLines.join('\n')}`)
}

/** Starts the server again whenever it ends, with growing pauses while it keeps ending. */
async function supervise(server: Server, firstEnd: Promise<string>): Promise<void> {
  const { signal } = server.stopping
  const { log } = server.options
  let end = firstEnd
  for (let failures = 0; ;) {
    const since = Date.now()
    const reason = await end
    if (signal.aborted) return
    log(`PostgreSQL ended unexpectedly (${reason}); it is started again`)
    if (Date.now() - since > 60_000) failures = 0
    const restarted = await restart(server, failures)
    if (restarted === undefined) return
    failures = restarted.failures
    end = restarted.end
  }
}

async function restart(
  server: Server,
  failedBefore: number,
): Promise<{ end: Promise<string>; failures: number } | undefined> {
  const { signal } = server.stopping
  for (let failures = failedBefore; ; failures++) {
    const pause = failures === 0 ? 0 : Math.min(100 * 2 ** failures, 30_000)
    await delay(pause, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return undefined
    try {
      const { end } = await startOnce(server)
      server.options.log('PostgreSQL runs again')
      return { end, failures: failures + 1 }
    } catch (error) {
      await endServer(server)
      if (signal.aborted) return undefined
      server.options.log(`PostgreSQL could not be started again: ${String(error)}`)
    }
  }
}

async function endServer({ child, options }: Server): Promise<void> {
  if (!child || !isRunning(child)) return
  const end = waitForEnd(child)
  child.kill('SIGINT')
  const timer = setTimeout(() => {
    options.log(
      'PostgreSQL does not stop in time; it is stopped immediately and will replay its log at the next start',
    )
    child.kill('SIGQUIT')
  }, SHUTDOWN_SECONDS * 1000)
  await end
  clearTimeout(timer)
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}

/** Describes how the process ended, or that it could not be started. */
function waitForEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve(`it could not be run: ${error.message}`)
    })
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `exit code ${String(code)}` : `signal ${signal}`)
    })
  })
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream, crlfDelay: Infinity }).on('line', onLine)
}

async function isReady(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch (error) {
    // 3D000: the server answers but lacks our database. Waiting does not help.
    if (readCode(error) === '3D000') throw error
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

function startFailure(child: ChildProcess, { folder }: Launch, output: string): AppError {
  if (child.exitCode === EXIT_LOCKED)
    return new AppError(
      'conflict',
      'embedded-database-in-use',
      `Another Plimsoll service or command uses the database in ${folder}. ` +
        'Stop it first, or set another PLIMSOLL_DATA_DIR for this one.',
    )
  const what =
    child.exitCode === EXIT_NOT_CREATED
      ? `The database could not be created in ${folder}`
      : `PostgreSQL could not be started on ${folder}`
  return new AppError('unavailable', 'embedded-database-not-started', `${what}: ${output.trim()}`)
}

function isInUse(error: unknown): boolean {
  return error instanceof AppError && error.code === 'embedded-database-in-use'
}

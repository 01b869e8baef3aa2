/** The pool and the query builder on it. */
import {
  CamelCasePlugin,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import type { AppError } from '../errors.ts'
import type { DB } from './schema.ts'
import type { StatementWatch } from './statement-watch.ts'

export type Db = Kysely<DB>
export type Tx = Transaction<DB>

// Reads bigint as number, as counts and sizes fit a double, and date as text.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

/** Who uses connections. Each has a pool of its own, so that none can take the connections of another. */
export type Purpose = 'api' | 'devices' | 'work' | 'slow' | 'health' | 'ready'
export type Pools = Record<Purpose, pg.Pool>

export interface DatabaseConfig {
  connectionString: string
  poolSize: number
  /** Shown by PostgreSQL (pg_stat_activity). */
  name?: string
  /** A connection that has not answered for so long is given up; by default never. */
  answerMs?: number
  /** How long a statement may take; 0: for ever. */
  statementMs?: number
  onError: (error: Error) => void
}

/** A new session reads the catalogue anew: its first statements take tens of milliseconds more. */
const IDLE_MS = 300_000

/** As long as a statement may take, unless its transaction or request has a limit of its own. */
export const STATEMENT_MS = 120_000

export function createPool({
  connectionString,
  poolSize,
  name = 'plimsoll',
  answerMs,
  statementMs = STATEMENT_MS,
  onError,
}: DatabaseConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    ...(answerMs !== undefined && { query_timeout: answerMs }),
    max: poolSize,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: IDLE_MS,
    // Detects a host that vanished without closing its connections.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: 60_000,
    application_name: name,
  })
  // Without a listener the loss of a connection would end the process. The pool reports the loss of idle connections. A
  // connection in use that runs no statement (its transaction waits for a file or a parser) reports its own loss; the next
  // statement on it fails.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

export function createDb(pool: PostgresPool, watch?: StatementWatch): Db {
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    ...(watch && { log: watch }),
  })
}

const UNREACHABLE = new Set([
  // AppErrors of a pool whose connections are all in use.
  'busy',
  'too-many-at-once',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** The Unix socket is missing; a missing file has the same code. */
function isSocketMissing(error: Error): boolean {
  return (
    'code' in error && error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect'
  )
}

/** Whether an error says that the database cannot be reached or is not ready, rather than that a query is wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    UNREACHABLE.has(code) ||
    isSocketMissing(error) ||
    // Class 08 connection exceptions, 57P0x shutdowns and start-up, class 53 out of disk, memory or connections,
    // 25006 a standby that does not write yet, 25P03 a transaction ended because it waited too long.
    /^(08|57P0|53|25006|25P03)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
      error.message,
    )
  )
}

/** Whether all connections are in use, of the pool or of the server (53300): the database itself may be well. */
export function areConnectionsTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    error.message === 'timeout exceeded when trying to connect' ||
    ('code' in error && error.code === '53300')
  )
}

/** Wrong password (class 28), or no such database. */
export function isLoginRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(28|3D000)/.test(String(error.code))
}

/** Whether the server has no TLS, or none with a certificate that is trusted (OpenSSL, X509_verify_cert_error_string). */
export function isTlsRefused(error: Error): boolean {
  if (error.message === 'The server does not support SSL connections') return true
  const code = 'code' in error ? String(error.code) : ''
  return /^(CERT_|DEPTH_ZERO_|ERR_SSL_|ERR_TLS_|HOSTNAME_|SELF_SIGNED_|UNABLE_TO_)/.test(code)
}

/** Whether a statement names a table, column or function that the database lacks. */
export function isSchemaAmiss(error: unknown): error is Error {
  return (
    error instanceof Error && 'code' in error && /^(42P01|42703|42883)/.test(String(error.code))
  )
}

/** Whether an error is the violation of a unique key. */
function isUniqueViolation(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

/** Throws the given error when a unique key is violated. `refusal` gets the name of the key. */
export async function refuseTaken<Result>(
  refusal: (constraint: string) => AppError,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw refusal(nameIn(error, 'constraint'))
  }
}

/** Throws the given error when a deleted row is still referenced. `refusal` gets the name of the table. */
export async function refuseReferenced<Result>(
  refusal: (table: string) => AppError,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    const isReferenced = error instanceof Error && 'code' in error && error.code === '23503'
    if (!isReferenced) throw error
    throw refusal(nameIn(error, 'table'))
  }
}

/**
 * On Citus, names of tables and keys in errors end with the number of their shard, where none of ours ends with digits. The coordinator
 * passes on what another node said as a message alone; the name that is meant stands last in it.
 */
function nameIn(error: Error, field: 'constraint' | 'table'): string {
  const stated: unknown = Reflect.get(error, field)
  const name = typeof stated === 'string' ? stated : /"([^"]*)"[^"]*$/.exec(error.message)?.[1]
  return (name ?? '').replace(/_\d{6,}$/, '')
}

/** Whether the database refused a value (class 22). Trying again does not help. */
export function isDataException(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('22')
}

/** Whether a statement was cancelled because of its timeout. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014'
}

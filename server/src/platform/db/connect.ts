/** The pool and the query builder on it. */
import {
  CamelCasePlugin,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type Transaction,
} from 'kysely'
import pg from 'pg'
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

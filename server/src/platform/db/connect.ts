/** The pool and the query builder on it. */
import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { DB } from './schema.ts'

export type Db = Kysely<DB>
export type Tx = Transaction<DB>

// Counts and sizes are cast or fit a double: bigint as number, date as the text it is.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

export interface DatabaseConfig {
  connectionString: string
  poolSize: number
  onError: (error: Error) => void
}

export function createPool({ connectionString, poolSize, onError }: DatabaseConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: poolSize,
    connectionTimeoutMillis: 3_000,
    statement_timeout: 120_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'plimsoll',
  })
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', onError)
  return pool
}

export function createDb(pool: pg.Pool): Db {
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
}

/** Whether an error says that the database cannot be reached or is not ready, rather than that a query is wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'].includes(code) ||
    // Class 08 connection exceptions, 57P0x shutdowns and start-up, 53300 too many connections.
    /^(08|57P0|53300)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
      error.message,
    )
  )
}

/** Whether an error is the violation of a unique key. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

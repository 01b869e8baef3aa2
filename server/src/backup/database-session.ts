/** One connection to the database, for a backup or a restore. */
import pg from 'pg'
import { createDb, type Db } from '../platform/db/connect.ts'

export async function withSession<Result>(
  connectionString: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'plimsoll-backup',
  })
  // The next statement fails, too.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(
      `select set_config(name, '0', false) from pg_settings where name in ('statement_timeout', 'lock_timeout',
         'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')`,
    )
    // So that the rows of a table come in the same order each time.
    await client.query('set synchronize_seqscans = off')
    return await use(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The query builder within the session, so in its transaction. */
export function createQueryBuilder(client: pg.Client): Db {
  const one = { query: client.query.bind(client), release: () => undefined }
  const pool = { connect: () => Promise.resolve(one), end: () => Promise.resolve(), options: {} }
  return createDb(pool)
}

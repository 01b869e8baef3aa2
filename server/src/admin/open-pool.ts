/** Connects to the database alone, for what must work although its schema is not that of this release. */
import type { Pool } from 'pg'
import { readConfig } from '../config/config.ts'
import { openDatabase } from '../open-context.ts'
import { createPool } from '../platform/db/connect.ts'
import { createLog } from '../platform/log.ts'

export const printProgress = (text: string) => void process.stderr.write(`${text}\n`)

export async function withPool<Result>(use: (pool: Pool) => Promise<Result>): Promise<Result> {
  const config = readConfig(undefined, { PLIMSOLL_LOG_LEVEL: 'silent' })
  const log = createLog(config.logLevel)
  const database = await openDatabase({ config, log, onProgress: printProgress, as: 'command' })
  const pool = createPool({
    connectionString: database.connectionString,
    poolSize: 1,
    name: 'plimsoll-admin',
    onError: () => undefined,
  })
  try {
    return await use(pool)
  } finally {
    await pool.end()
    await database.release()
  }
}

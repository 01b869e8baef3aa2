/** A throw-away PostgreSQL server with the migrated schema and no data. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPool } from '../server/src/platform/db/connect.ts'
import { startEmbeddedPostgres } from '../server/src/platform/db/embedded-postgres.ts'
import { migrate } from '../server/src/platform/db/migrate.ts'

export async function withSchemaDatabase<Result>(
  use: (connectionString: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-schema-'))
  const database = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    log: () => undefined,
    durable: false,
  })
  try {
    const { connectionString } = database
    const pool = createPool({ connectionString, poolSize: 1, onError: () => undefined })
    await migrate(pool)
    await pool.end()
    return await use(connectionString)
  } finally {
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

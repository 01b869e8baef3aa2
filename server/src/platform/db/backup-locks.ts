/** Locks of the database between a backup, changes of the schema, and the deletion of stored files. */
import type { ClientBase, Pool } from 'pg'
import { isDatabaseAway } from './failures.ts'

// Advisory locks. Any fixed numbers will do.
const RUN = 7_305_160_344
const FILES = 7_305_160_345

/**
 * Lets one backup of a database run at a time, and none while its schema is changed. Until the session ends, stored files
 * that rows named when it began are not deleted. Answers false when another backup or a migration runs.
 */
export async function beginBackup(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ begins: boolean }>(
    'select pg_try_advisory_lock($1) as begins',
    [RUN],
  )
  if (rows[0]?.begins !== true) return false
  await client.query('select pg_advisory_lock($1)', [FILES])
  return true
}

/**
 * Waits for a backup that runs, and keeps others from beginning until the session ends. A change of the schema that waited
 * for a table instead would make all readers of the table wait behind it.
 */
export async function keepBackupsOut(client: ClientBase): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [RUN])
}

/**
 * Whether the file of a row that is gone may be deleted. A backup that begins later does not see the row. After a false, a
 * sweep deletes the file later.
 */
export async function mayDeleteFiles(pool: Pool): Promise<boolean> {
  try {
    const { rows } = await pool.query<{ free: boolean }>(
      'select pg_try_advisory_xact_lock_shared($1) as free',
      [FILES],
    )
    return rows[0]?.free === true
  } catch (error) {
    if (isDatabaseAway(error)) return false
    throw error
  }
}

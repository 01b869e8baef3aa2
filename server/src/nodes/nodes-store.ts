import { sql } from 'kysely'
import type { Db } from '../platform/db/connect.ts'

/** A process of the service. */
export interface Node {
  id: string
  host: string
  roles: string[]
  version: string
  startedAt: Date
  /** null: it encrypts no secrets. */
  encryptionKeyId: string | null
}

/** Uses the clock of the database, as the clocks of nodes differ. */
export async function beatNode(db: Db, node: Node): Promise<void> {
  await db
    .insertInto('nodes')
    .values({ ...node, beatAt: sql`clock_timestamp()` })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ beatAt: sql`clock_timestamp()` }))
    .execute()
}

export async function deleteNode(db: Db, id: string): Promise<void> {
  await db.deleteFrom('nodes').where('id', '=', id).execute()
}

export async function deleteOldNodes(db: Db): Promise<void> {
  await db
    .deleteFrom('nodes')
    .where('beatAt', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .execute()
}

/** The last one that was seen is first. */
export async function listNodes(db: Db) {
  return db
    .selectFrom('nodes')
    .select(['host', 'roles', 'version', 'startedAt', 'beatAt', 'encryptionKeyId'])
    .select(sql<boolean>`beat_at >= clock_timestamp() - interval '30 seconds'`.as('isAlive'))
    .orderBy('beatAt', 'desc')
    .orderBy('id')
    .execute()
}

import { sql } from 'kysely'
import type { Db } from '../platform/db/connect.ts'

/** Renewed while the backup is taken. */
const CLAIM = sql<Date>`now() + interval '5 minutes'`
const PAUSE_AFTER_FAILURE = sql<Date>`now() + interval '15 minutes'`

/** Answers true to one worker when a backup is due, by the clock of the database. */
export async function claimDue(db: Db, everyMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('backupState')
    .set({ claimedUntil: CLAIM })
    .where(sql<boolean>`(claimed_until > now()) is not true`)
    .where(
      sql<boolean>`(scheduled_at > now() - ${everyMs}::float8 * interval '1 millisecond') is not true`,
    )
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function renewClaim(db: Db): Promise<void> {
  await db.updateTable('backupState').set({ claimedUntil: CLAIM }).execute()
}

export async function releaseClaim(db: Db): Promise<void> {
  await db.updateTable('backupState').set({ claimedUntil: null }).execute()
}

export interface Success {
  takenAt: Date
  seconds: number
  contentBytes: number
  missingFiles: number
  isScheduled: boolean
}

export async function recordSuccess(db: Db, { isScheduled, ...success }: Success): Promise<void> {
  await db
    .updateTable('backupState')
    .set({ ...success, error: null, failedAt: null })
    .$if(isScheduled, (update) => update.set({ scheduledAt: success.takenAt, claimedUntil: null }))
    .execute()
}

export async function recordFailure(db: Db, error: string): Promise<void> {
  await db
    .updateTable('backupState')
    .set({ failedAt: sql<Date>`now()`, error, claimedUntil: PAUSE_AFTER_FAILURE })
    .execute()
}

export async function readState(db: Db) {
  return db
    .selectFrom('backupState')
    .select(['scheduledAt', 'takenAt', 'seconds', 'contentBytes'])
    .select(['missingFiles', 'failedAt', 'error'])
    .select(sql<number | null>`extract(epoch from now() - taken_at)::float8`.as('ageSeconds'))
    .executeTakeFirstOrThrow()
}

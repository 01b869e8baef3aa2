import { sql } from 'kysely'
import type { Db } from '../platform/db/connect.ts'

export interface ClockJump {
  at: Date
  /** How far the clock went; negative: back. */
  seconds: number
}

/** Says that a worker looked at the clock. Returns when the last one did. */
export async function markSeen(db: Db, now: Date): Promise<Date | undefined> {
  const { rows } = await sql<{ seenAt: Date | null }>`
    update clock set seen_at = ${now} from (select seen_at from clock) as before returning before.seen_at`.execute(
    db,
  )
  return rows[0]?.seenAt ?? undefined
}

export async function recordJump(db: Db, { at, seconds }: ClockJump): Promise<void> {
  await db.updateTable('clock').set({ jumpedAt: at, jumpedSeconds: seconds }).execute()
}

/** The last jump, if it was within a day. */
export async function findRecentJump(db: Db, now: Date): Promise<ClockJump | undefined> {
  const row = await db
    .selectFrom('clock')
    .select(['jumpedAt as at', 'jumpedSeconds as seconds'])
    .where('jumpedAt', '>', sql<Date>`${now}::timestamptz - interval '1 day'`)
    .executeTakeFirst()
  return row?.at && row.seconds !== null ? { at: row.at, seconds: row.seconds } : undefined
}

import { sql } from 'kysely'
import { addMs } from '../../../formats/instants.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { type AttemptLimit, DELAYS_MS, FORGOTTEN_AFTER_MS } from './limits.ts'

/** Before any attempt: those of another node, or at the same moment, may carry an earlier instant than the last one. */
const UNBLOCKED = new Date(0)

/**
 * Counts an attempt as failed, before it is known: attempts at once must not all pass. Returns false, and counts nothing,
 * while the next attempt has to wait.
 */
export async function countAttempt(
  db: Db,
  { key, free }: AttemptLimit,
  now: Date,
): Promise<boolean> {
  const forgotten = new Date(now.getTime() - FORGOTTEN_AFTER_MS)
  const failures = sql<number>`case when attempt.last_at < ${forgotten} then 1 else attempt.failures + 1 end`
  const ends = DELAYS_MS.map((delay) => (delay === 0 ? UNBLOCKED : addMs(now, delay)).toISOString())
  const end = sql`(${ends}::timestamptz[])[1 + least(greatest(${failures} - ${free - 1}::int, 0), ${ends.length - 1}::int)]`
  const { rows } = await sql<{ failures: number }>`
    insert into sign_in_attempts as attempt (key, failures, last_at, blocked_until)
    values (${key}, 1, ${now}, ${UNBLOCKED})
    on conflict (key) do update set failures = ${failures}, last_at = ${now}, blocked_until = ${end}
    where attempt.blocked_until <= ${now}
    returning failures`.execute(db)
  return rows.length > 0
}

/** The instant from which on the next attempt is looked at. */
export async function findBlockEnd(db: Db, keys: readonly Buffer[]): Promise<Date | undefined> {
  const row = await db
    .selectFrom('signInAttempts')
    .select((eb) => eb.fn.max('blockedUntil').as('until'))
    .where('key', 'in', keys)
    .executeTakeFirst()
  return row?.until ?? undefined
}

export async function deleteAttempts(db: Db, key: Buffer): Promise<void> {
  await db.deleteFrom('signInAttempts').where('key', '=', key).execute()
}

/** An attempt that succeeded was no failure. */
export async function uncountAttempt(db: Db, key: Buffer): Promise<void> {
  await sql`update sign_in_attempts set failures = greatest(failures - 1, 0), blocked_until = ${UNBLOCKED}
    where key = ${key}`.execute(db)
}

export async function deleteOldAttempts(db: Db, now: Date): Promise<void> {
  const forgotten = new Date(now.getTime() - FORGOTTEN_AFTER_MS)
  await db.deleteFrom('signInAttempts').where('lastAt', '<', forgotten).execute()
}

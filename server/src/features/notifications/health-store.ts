import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { GIVE_UP_MS } from './back-off.ts'

export interface NotificationHealth {
  /** Also those whose hour has yet to come. */
  pending: number
  /** How long what waits longest could have been sent; 0: nothing waits. */
  oldestPendingSeconds: number
  failedLastDay: number
}

const DAY_MS = 86_400_000

/** Of all workspaces together. */
export async function readNotificationHealth(db: Db, now: Date): Promise<NotificationHealth> {
  const yesterday = new Date(now.getTime() - DAY_MS)
  const { rows } = await sql<NotificationHealth>`
    select count(*)::int as pending,
      greatest(0, coalesce(
        extract(epoch from ${now}::timestamptz - min(give_up_at)) + ${GIVE_UP_MS / 1_000}::float8, 0
      ))::float8 as oldest_pending_seconds,
      (select count(*)::int from notifications where state = 'Failed' and finished_at >= ${yesterday})
        as failed_last_day
    from notifications where state = 'Pending'`.execute(db)
  return rows[0] ?? { pending: 0, oldestPendingSeconds: 0, failedLastDay: 0 }
}

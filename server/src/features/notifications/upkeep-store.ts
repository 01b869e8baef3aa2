import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

/** Rows of one statement: locks are held for moments only. */
const AT_ONCE = 10_000

/** Those that finished before; whether there may be more. */
export async function deleteOldNotifications(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from notifications as one using (
      select id from notifications
      where workspace_id = ${workspaceId} and created_at < ${before} and finished_at < ${before}
        and state <> 'Pending'
      limit ${AT_ONCE}
    ) as gone
    where one.workspace_id = ${workspaceId} and one.id = gone.id`.execute(db)
  return numAffectedRows >= AT_ONCE
}

/** Those that tell of no notification any more; whether there may be more. */
export async function deleteOldAttempts(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from delivery_attempts as one using (
      select id from delivery_attempts as old
      where old.workspace_id = ${workspaceId} and old.began_at < ${before} and not exists (
        select from notifications as kept
        where kept.workspace_id = ${workspaceId} and kept.id = any(old.notification_ids))
      limit ${AT_ONCE}
    ) as gone
    where one.workspace_id = ${workspaceId} and one.id = gone.id`.execute(db)
  return numAffectedRows >= AT_ONCE
}

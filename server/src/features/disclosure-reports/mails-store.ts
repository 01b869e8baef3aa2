/** Reports from outside of which those who answer were not told yet. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

/** Where a report, or what was added to one, is newer than the last mail, and that one is not of just now. */
export async function listWaitingWorkspaces(db: Db, sentBefore: Date): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select told.workspace_id from (
      select workspace_id, max(received_at) as at from disclosure_reports group by workspace_id
      union all
      select workspace_id, max(recorded_at) as at from disclosure_report_events where kind = 'Addition' group by workspace_id) as told
    left join disclosure_report_mails as mail on mail.workspace_id = told.workspace_id
    where told.at > coalesce(mail.told_until, '-infinity') and (mail.sent_at is null or mail.sent_at <= ${sentBefore})
    group by told.workspace_id order by min(told.at), told.workspace_id`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** false: another worker tells them, or they know of all. */
export async function takeTurn(
  tx: Tx,
  workspaceId: string,
  { now, sentBefore }: { now: Date; sentBefore: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into disclosure_report_mails as mail (workspace_id, told_until, sent_at)
    select ${workspaceId}::uuid, newest.at, ${now}::timestamptz from (
      select greatest((select max(received_at) from disclosure_reports where workspace_id = ${workspaceId}),
        (select max(recorded_at) from disclosure_report_events where workspace_id = ${workspaceId} and kind = 'Addition')) as at) as newest
    where newest.at is not null
    on conflict (workspace_id) do update set told_until = excluded.told_until, sent_at = excluded.sent_at
    where mail.sent_at <= ${sentBefore} and excluded.told_until > mail.told_until
    returning true`.execute(tx)
  return rows.length > 0
}

/** Proposals of which those who may decide were not told yet. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

interface Waits {
  /** Nothing more was proposed since. */
  quietSince: Date
  /** Or the oldest waits since before. */
  longSince: Date
  /** The last mail is older. */
  sentBefore: Date
}

export async function listWaitingWorkspaces(
  db: Db,
  { quietSince, longSince, sentBefore }: Waits,
): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select proposal.workspace_id from decision_proposals as proposal
    left join proposal_mails as mail on mail.workspace_id = proposal.workspace_id
    where proposal.state = 'Open' and proposal.proposed_at > coalesce(mail.told_until, '-infinity')
      and (mail.sent_at is null or mail.sent_at <= ${sentBefore})
    group by proposal.workspace_id
    having max(proposal.proposed_at) <= ${quietSince} or min(proposal.proposed_at) <= ${longSince}
    order by min(proposal.proposed_at), proposal.workspace_id`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** Answers the newest open proposal, unless those who may decide know of it, or had a mail not long ago. */
export async function takeTurn(
  tx: Tx,
  workspaceId: string,
  { now, sentBefore }: { now: Date; sentBefore: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into proposal_mails as mail (workspace_id, told_until, sent_at)
    select ${workspaceId}, max(proposal.proposed_at), ${now}::timestamptz from decision_proposals as proposal
    where proposal.workspace_id = ${workspaceId} and proposal.state = 'Open' having count(*) > 0
    on conflict (workspace_id) do update set told_until = excluded.told_until, sent_at = excluded.sent_at
    where mail.sent_at <= ${sentBefore} and excluded.told_until > mail.told_until
    returning true`.execute(tx)
  return rows.length > 0
}

/** Members who want no such mails. */
export async function listMuted(db: Db, workspaceId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('mutedProposalMails')
    .select('personId')
    .where('workspaceId', '=', workspaceId)
    .execute()
  return new Set(rows.map(({ personId }) => personId))
}

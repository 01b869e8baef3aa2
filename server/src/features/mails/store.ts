import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { MailBound, MailCount } from './bounds.ts'

/** Locks the counts of the hour to the end of the transaction, and answers what each has used, by its key. */
export async function lockCounts(
  tx: Tx,
  counts: readonly MailCount[],
  beganAt: Date,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; used: number }>`
    insert into mail_counts as held (key, began_at, bound, used, most)
    select decode(key, 'hex'), ${beganAt}, bound, 0, most
    from unnest(${counts.map(({ key }) => key)}::text[], ${counts.map(({ bound }) => bound)}::text[],
      ${counts.map(({ most }) => most)}::int[]) as planned (key, bound, most)
    order by key
    on conflict (key, began_at) do update set most = excluded.most
    returning encode(key, 'hex') as key, used`.execute(tx)
  return new Map(rows.map(({ key, used }) => [key, used]))
}

export async function addToCounts(
  tx: Tx,
  counts: readonly MailCount[],
  beganAt: Date,
): Promise<void> {
  await sql`
    update mail_counts as held set used = held.used + planned.amount
    from unnest(${counts.map(({ key }) => key)}::text[], ${counts.map(({ amount }) => amount)}::int[])
      as planned (key, amount)
    where held.key = decode(planned.key, 'hex') and held.began_at = ${beganAt}`.execute(tx)
}

export interface MailUsage {
  bound: MailBound
  /** The count of the workspace that sent most. */
  used: number
  /** How many have used up what they may. */
  spent: number
}

export async function listMailUsage(db: Db, beganAt: Date): Promise<MailUsage[]> {
  const { rows } = await sql<MailUsage>`
    select bound, max(used)::int as used, (count(*) filter (where used >= most))::int as spent
    from mail_counts where began_at = ${beganAt} group by bound order by bound`.execute(db)
  return rows
}

export async function deleteCountsBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('mailCounts').where('beganAt', '<', before).execute()
}

import { sql } from 'kysely'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { OnDone } from './writing-store.ts'

export async function recordAttempt(db: Db, source: FeedSource, at: Date): Promise<void> {
  await db
    .insertInto('vulnerabilitySources')
    .values({ source, lastAttemptAt: at })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ lastAttemptAt: at }))
    .execute()
}

export async function recordFailure(db: Db, source: FeedSource, error: string): Promise<void> {
  await db
    .updateTable('vulnerabilitySources')
    .set({ lastError: error })
    .where('source', '=', source)
    .execute()
}

export interface ImportSuccess {
  /** For a bundle: when the source was last complete on the machine that wrote it, if ever. */
  at: Date | undefined
  /** The time the newest snapshot states. The stored time never goes back. */
  snapshotAt: Date | undefined
  skippedCount: number
  skippedReasons: Record<string, number>
  /** What an operator should know although nothing failed. */
  notice: string | undefined
  newCount: number
}

/** In the transaction of the merge. */
export async function recordSuccess(
  tx: Tx,
  source: FeedSource,
  success: ImportSuccess,
): Promise<void> {
  const { at, snapshotAt, skippedCount, skippedReasons, notice, newCount } = success
  await tx
    .updateTable('vulnerabilitySources')
    .set({
      lastSuccessAt: sql`greatest(last_success_at, ${at ?? null}::timestamptz)`,
      lastError: null,
      skippedCount,
      skippedReasons: JSON.stringify(skippedReasons),
      notice: notice ?? null,
      snapshotAt: sql`greatest(snapshot_at, ${snapshotAt ?? null}::timestamptz)`,
      recordCount: recordCount(source, newCount),
    })
    .where('source', '=', source)
    .execute()
}

/** In the transaction of the merge of one part: sums up the skipped records of all parts. */
export async function recordPartImported(
  tx: Tx,
  source: FeedSource,
  { snapshotAt, newCount }: Pick<ImportSuccess, 'snapshotAt' | 'newCount'>,
): Promise<void> {
  await sql`
    update vulnerability_sources as source
    set record_count = ${recordCount(source, newCount)}, skipped_count = parts.skipped, skipped_reasons = parts.reasons,
      snapshot_at = greatest(snapshot_at, ${snapshotAt ?? null}::timestamptz)
    from (
      select coalesce(sum(skipped_count), 0) as skipped,
        coalesce((select jsonb_object_agg(reason, count) from (
          select reason, sum(count::int) as count
          from vulnerability_source_parts as part cross join lateral jsonb_each_text(part.skipped_reasons) as entry (reason, count)
          where part.source = ${source} group by reason order by reason) as reasons), '{}') as reasons
      from vulnerability_source_parts where vulnerability_source_parts.source = ${source}
    ) as parts
    where source.source = ${source}`.execute(tx)
}

/** Advisories are never deleted. `newCount`: how many of them this merge has added. */
function recordCount(source: FeedSource, newCount: number) {
  if (source === 'kev') return sql<number>`(select count(*) from kev_entries)`
  if (source === 'epss') return sql<number>`(select count(*) from epss_scores)`
  if (source === 'euvd') return sql<number>`(select count(*) from eu_exploited_entries)`
  // Counting all advisories would take longer than merging a small delta.
  return sql<number>`record_count + ${newCount}::int`
}

/** After a large import: the next queries must not be planned with the statistics of empty tables. */
export async function analyzeKnowledge(db: Db, onDone: OnDone): Promise<void> {
  // Ids are unique: a small sample of these long rows tells as much as a large one.
  await sql`set default_statistics_target = 20`.execute(db)
  await sql`analyze advisories (source, id, modified_at)`.execute(db)
  await sql`reset default_statistics_target`.execute(db)
  onDone(1, 3)
  await sql`analyze advisory_affected (source, advisory_id, key, product_key)`.execute(db)
  onDone(2, 3)
  await sql`
    analyze advisory_vulnerabilities, vulnerabilities, vulnerability_aliases, kev_entries, epss_scores`.execute(
    db,
  )
  onDone(3, 3)
}

/** Deletes the keys of a revision, whose job is done. */
export async function pruneKnowledgeChanges(db: Db, revision: number): Promise<void> {
  await db.deleteFrom('knowledgeChanges').where('revision', '=', revision).execute()
}

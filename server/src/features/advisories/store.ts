import { sql } from 'kysely'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { SyncPhase, SyncProgress } from './sync-progress.ts'

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

export interface Success {
  /** Of a bundle: when it was complete where it comes from, if ever. */
  at: Date | undefined
  /** What the newest snapshot says of itself; the stored time never goes back. */
  snapshotAt: Date | undefined
  skippedCount: number
  skippedReasons: Record<string, number>
  /** What an operator should know though nothing failed. */
  notice: string | undefined
}

/** In the transaction of the merge. */
export async function recordSuccess(tx: Tx, source: FeedSource, success: Success): Promise<void> {
  const { at, snapshotAt, skippedCount, skippedReasons, notice } = success
  await sql`
    update vulnerability_sources
    set last_success_at = greatest(last_success_at, ${at ?? null}::timestamptz), last_error = null, skipped_count = ${skippedCount},
      skipped_reasons = ${JSON.stringify(skippedReasons)}::jsonb, notice = ${notice ?? null},
      snapshot_at = greatest(snapshot_at, ${snapshotAt ?? null}::timestamptz), record_count = ${recordCount(source)}
    where source = ${source}`.execute(tx)
}

/** In the transaction of the merge of one part: the source holds what its parts brought. */
export async function recordPartImported(
  tx: Tx,
  source: FeedSource,
  snapshotAt: Date | undefined,
): Promise<void> {
  await sql`
    update vulnerability_sources as source
    set record_count = ${recordCount(source)}, skipped_count = parts.skipped, skipped_reasons = parts.reasons,
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

/** Advisories are never deleted; `changed` holds what the transaction of the merge adds. */
function recordCount(source: FeedSource) {
  if (source === 'kev') return sql`(select count(*) from kev_entries)`
  if (source === 'epss') return sql`(select count(*) from epss_scores)`
  // Counting all of them would take longer than a small delta.
  return sql`record_count + (select count(*) from changed where is_new)`
}

/** After much was written at once, whoever reads next should not plan with the statistics of an empty table. */
export async function analyzeKnowledge(db: Db): Promise<void> {
  await sql`
    analyze advisories, advisory_affected, advisory_vulnerabilities, vulnerabilities, vulnerability_aliases,
      kev_entries, epss_scores`.execute(db)
}

/** Every source that was ever tried, with how current it is. */
export async function listSources(db: Db) {
  return db
    .selectFrom('vulnerabilitySources')
    .select(['source', 'lastAttemptAt', 'lastSuccessAt', 'lastError', 'snapshotAt'])
    .select(['recordCount', 'skippedCount', 'notice', 'nextSyncAt'])
    .select('phase')
    .select(sql<SyncProgress | null>`progress`.as('progress'))
    .select(sql<Record<string, number>>`skipped_reasons`.as('skippedReasons'))
    .select(sql<boolean>`coalesce(claimed_until > now(), false)`.as('isClaimed'))
    .orderBy('source')
    .$narrowType<{ source: FeedSource; phase: SyncPhase }>()
    .execute()
}

export async function listAllParts(db: Db) {
  return db
    .selectFrom('vulnerabilitySourceParts')
    .select(['source', 'part', 'completedAt', 'checkedAt', 'recordCount', 'skippedCount'])
    .select(['lastError', 'notice'])
    .orderBy('source')
    .orderBy('part')
    .execute()
}

/** The job of a revision is done: nobody asks for its keys again. */
export async function pruneKnowledgeChanges(db: Db, revision: number): Promise<void> {
  await db.deleteFrom('knowledgeChanges').where('revision', '=', revision).execute()
}

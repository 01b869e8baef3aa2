import { sql } from 'kysely'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

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
  at: Date
  /** What the newest snapshot says of itself; the stored time never goes back. */
  snapshotAt: Date | undefined
  skippedCount: number
}

/** In the transaction of the merge. */
export async function recordSuccess(tx: Tx, source: FeedSource, success: Success): Promise<void> {
  const { at, snapshotAt, skippedCount } = success
  await sql`
    update vulnerability_sources
    set last_success_at = ${at}, last_error = null, skipped_count = ${skippedCount},
      snapshot_at = greatest(snapshot_at, ${snapshotAt ?? null}::timestamptz), record_count = ${recordCount(source)}
    where source = ${source}`.execute(tx)
}

function recordCount(source: FeedSource) {
  if (source === 'kev') return sql`(select count(*) from kev_entries)`
  if (source === 'epss') return sql`(select count(*) from epss_scores)`
  return sql`(select count(*) from advisories where advisories.source = ${source})`
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
    .select(['recordCount', 'skippedCount'])
    .orderBy('source')
    .$narrowType<{ source: FeedSource }>()
    .execute()
}

import { sql } from 'kysely'
import type { FeedSource } from '../../formats/feed-files.ts'
import { listIdSpellings } from '../../formats/vulnerability-ids.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { OnDone } from './merging/writing-store.ts'

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
  if (source === 'endoflife')
    return sql<number>`(select count(*) from support_products where gone_at is null)`
  // Counting all advisories would take longer than merging a small delta.
  return sql<number>`record_count + ${newCount}::int`
}

const ANALYZED = [
  ['advisories', 'advisory_records', 'advisory_vulnerabilities'],
  ['advisory_affected'],
  ['vulnerabilities', 'vulnerability_aliases', 'kev_entries', 'epss_scores'],
]

/**
 * After a large import: the next queries must not be planned with the statistics of empty tables. It analyses them at the same time,
 * and whole, since else the server would do it again by itself.
 */
export async function analyzeKnowledge(db: Db, onDone: OnDone): Promise<void> {
  let done = 0
  await Promise.all(
    ANALYZED.map(async (tables) => {
      await sql`analyze ${sql.join(tables.map((table) => sql.table(table)))}`.execute(db)
      onDone(++done, ANALYZED.length)
    }),
  )
}

/** Deletes the keys of a revision, whose job is done. */
export async function pruneKnowledgeChanges(db: Db, revision: number): Promise<void> {
  await db.deleteFrom('knowledgeChanges').where('revision', '=', revision).execute()
}

/** The vulnerability that has the id or alias, whatever the case of its letters; undefined: no source knows it. */
export async function findVulnerabilityId(db: Db, named: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select vulnerability_id as id from vulnerability_aliases
    where alias = any(${listIdSpellings(named)}::text[])
    order by vulnerability_id = alias desc, vulnerability_id limit 1`.execute(db)
  return rows[0]?.id
}

/** In the order of the ids or aliases, which are spelled as sources do; undefined: no source knows it. */
export async function listVulnerabilityIdsOf(
  db: Db,
  named: readonly string[],
): Promise<(string | undefined)[]> {
  const { rows } = await sql<{ alias: string; id: string }>`
    select alias, vulnerability_id as id from vulnerability_aliases where alias = any(${named}::text[])
    order by vulnerability_id = alias, vulnerability_id desc`.execute(db)
  const ids = new Map(rows.map(({ alias, id }) => [alias, id]))
  return named.map((each) => ids.get(each))
}

// The products of the source endoflife and their release cycles.

/** When the newest of the staged files was made, and when the stored one was. */
export async function findSupportTimes(
  tx: Tx,
): Promise<Record<'feedAt' | 'snapshotAt', Date | undefined>> {
  const { rows } = await sql<Record<'feedAt' | 'snapshotAt', Date | null>>`
    select (select max(feed_at) from staged_support) as feed_at,
      (select snapshot_at from vulnerability_sources where source = 'endoflife') as snapshot_at`.execute(
    tx,
  )
  const [row] = rows
  return { feedAt: row?.feedAt ?? undefined, snapshotAt: row?.snapshotAt ?? undefined }
}

/** `isWhole`: the staged products are all that the source lists, so that others are gone. What a product said stays when it is gone. */
export async function mergeSupportProducts(
  tx: Tx,
  { at, isWhole }: { at: Date; isWhole: boolean },
): Promise<{ added: number; changed: number; withdrawn: number; removed: number }> {
  const { rows } = await sql<{ name: string; isNew: boolean }>`
    insert into support_products as stored (name, label, link, identifiers, cycles, first_seen_at, changed_at, gone_at)
    select distinct on (name) name, label, link, identifiers, cycles, ${at}::timestamptz, ${at}::timestamptz, gone_at
    from staged_support order by name, feed_at desc nulls last, ordinal desc
    on conflict (name) do update
      set label = excluded.label, link = excluded.link, identifiers = excluded.identifiers, cycles = excluded.cycles,
        changed_at = excluded.changed_at, gone_at = excluded.gone_at
    where (stored.label, stored.link, stored.identifiers, stored.cycles, stored.gone_at)
      is distinct from (excluded.label, excluded.link, excluded.identifiers, excluded.cycles, excluded.gone_at)
    returning name, xmax = 0 as is_new`.execute(tx)
  const added = rows.filter(({ isNew }) => isNew).length
  await writeCycles(
    tx,
    rows.map(({ name }) => name),
  )
  const removed = isWhole ? await markGone(tx, at) : 0
  return { added, changed: rows.length - added, withdrawn: 0, removed }
}

async function writeCycles(tx: Tx, products: readonly string[]): Promise<void> {
  await sql`delete from support_cycles where product = any(${products}::text[])`.execute(tx)
  await sql`
    insert into support_cycles (product, cycle, codename, released_on, is_lts, ends_on, has_ended, active_ends_on,
      extended_ends_on, latest, link, fault)
    select product.name, stated.name, stated.codename, stated."releasedOn", stated."isLts", stated."endsOn",
      stated."hasEnded", stated."activeEndsOn", stated."extendedEndsOn", stated.latest, stated.link, stated.fault
    from support_products as product
    cross join lateral jsonb_to_recordset(product.cycles) as stated (
      name text, codename text, "releasedOn" date, "isLts" boolean, "endsOn" date, "hasEnded" boolean,
      "activeEndsOn" date, "extendedEndsOn" date, latest text, link text, fault text)
    where product.name = any(${products}::text[])`.execute(tx)
}

async function markGone(tx: Tx, at: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update support_products set gone_at = ${at}, changed_at = ${at}
    where gone_at is null
      and not exists (select from staged_support where staged_support.name = support_products.name)`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}

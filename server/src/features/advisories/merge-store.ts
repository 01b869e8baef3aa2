/** Writes staged advisories where they differ from the stored ones (docs/design/matching.md). */
import { sql } from 'kysely'
import type { AdvisorySource } from '../../formats/advisories/model.ts'
import type { Tx } from '../../platform/db/connect.ts'

/** The number is arbitrary; it identifies the lock. */
const MERGE_LOCK = 4_927_518_306

/** Merges run one after another: all of them write vulnerabilities. */
export async function lockMerges(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MERGE_LOCK})`.execute(tx)
}

export interface MergeCounts {
  added: number
  changed: number
  withdrawn: number
}

/**
 * The age of a text is its modification time. If it states none, its file can hold it no earlier than it was made, so the
 * time of the file counts. A text of unknown age never replaces a dated one: two files imported in turn would replace
 * each other's texts for ever.
 */
const ageOf = (table: 'newest' | 'stored' | 'staged_advisories') =>
  sql`coalesce(${sql.ref(`${table}.modified_at`)}, ${sql.ref(`${table}.feed_at`)}, '-infinity'::timestamptz)`

/**
 * Fills `changed`: for each record the newest staged text, if it differs from the stored text and is not older. Of texts
 * of the same age the dated one wins, then that of the newer file, else the later import.
 */
export async function chooseChanges(tx: Tx, source: AdvisorySource): Promise<MergeCounts> {
  await sql`
    insert into changed (id, ordinal, is_new, is_relinked, is_withdrawal)
    select newest.id, newest.ordinal, stored.id is null,
      stored.id is null or stored.aliases is distinct from newest.aliases
        or stored.cve_ids is distinct from newest.cve_ids or stored.linked_ids is distinct from newest.linked_ids,
      newest.withdrawn_at is not null and stored.withdrawn_at is null
    from (
      select distinct on (id)
        id, ordinal, content_hash, aliases, cve_ids, linked_ids, modified_at, feed_at, withdrawn_at
      from staged_advisories where source = ${source}
      order by id, ${ageOf('staged_advisories')} desc, modified_at is null, feed_at desc nulls last, ordinal desc
    ) as newest
    left join advisories as stored on stored.source = ${source} and stored.id = newest.id
    where stored.id is null or (
      stored.content_hash <> newest.content_hash
      and (${ageOf('newest')}, newest.modified_at is not null) >= (${ageOf('stored')}, stored.modified_at is not null)
      and (newest.modified_at = stored.modified_at and newest.feed_at < stored.feed_at) is not true)`.execute(
    tx,
  )
  await sql`analyze changed`.execute(tx)
  const { rows } = await sql<MergeCounts>`
    select count(*) filter (where is_new and not is_withdrawal)::int as added,
      count(*) filter (where not is_new and not is_withdrawal)::int as changed,
      count(*) filter (where is_withdrawal)::int as withdrawn
    from changed`.execute(tx)
  return rows[0] ?? { added: 0, changed: 0, withdrawn: 0 }
}

/** Above this, a change names keys only: a first import would write millions of pairs of key and vulnerability. */
const MAX_CHANGES_WITH_VULNERABILITIES = 10_000

/**
 * Records which pairs of key and vulnerability have to be matched again: those of changed statements, those whose
 * advisory now belongs to another vulnerability, and those whose vulnerability got another severity or score; and the
 * distributions whose packages have to be matched again as a whole. Answers the revision, or undefined when there are none.
 */
export async function writeKnowledgeChange(
  tx: Tx,
  source: AdvisorySource,
  { changed, distributions }: { changed: number; distributions: readonly string[] },
): Promise<number | undefined> {
  const pairs = changed > MAX_CHANGES_WITH_VULNERABILITIES ? keysOfMany(source) : pairsOfFew(source)
  const { rows } = await sql<{ revision: number }>`
    with key_pairs as (
      ${pairs}
    ), pairs as (
      select key, vulnerability_id from key_pairs
      union
      select product_key, vulnerability_id from key_pairs where product_key is not null
      union
      select 'distribution:' || distribution, '*' from unnest(${distributions}::text[]) as distribution
    ), revision as (
      select nextval('knowledge_revision') as revision where exists (select from pairs)
    ), written as (
      insert into knowledge_changes (revision, key, vulnerability_id)
      select revision.revision, pairs.key, pairs.vulnerability_id from revision cross join pairs
      order by pairs.key, pairs.vulnerability_id
    )
    select revision from revision`.execute(tx)
  return rows[0]?.revision
}

const pairsOfFew = (source: AdvisorySource) => sql`
  select affected.key, affected.product_key, link.vulnerability_id
  from changed_affected as affected
  join advisory_vulnerabilities as link on link.source = ${source} and link.advisory_id = affected.advisory_id
  union
  select affected.key, affected.product_key, moved.vulnerability_id
  from changed_affected as affected
  join moved on moved.source = ${source} and moved.advisory_id = affected.advisory_id
  union
  select affected.key, affected.product_key, moved.vulnerability_id
  from moved
  join advisory_affected as affected using (source, advisory_id)
  union
  select affected.key, affected.product_key, rescored.vulnerability_id
  from rescored
  join advisory_vulnerabilities as link using (vulnerability_id)
  join advisory_affected as affected
    on affected.source = link.source and affected.advisory_id = link.advisory_id`

/** All keys of new advisories are changed. */
const keysOfMany = (source: AdvisorySource) => sql`
  select key, product_key, '*' as vulnerability_id from changed_affected
  union
  select affected.key, affected.product_key, '*'
  from moved
  join advisory_affected as affected using (source, advisory_id)
  where not exists (
    select from changed
    where changed.is_new and moved.source = ${source} and changed.id = moved.advisory_id)
  union
  select affected.key, affected.product_key, '*'
  from rescored
  join advisory_vulnerabilities as link using (vulnerability_id)
  join advisory_affected as affected
    on affected.source = link.source and affected.advisory_id = link.advisory_id`

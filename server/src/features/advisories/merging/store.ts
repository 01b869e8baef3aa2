/** Writes staged advisories where they differ from the stored ones (docs/design/matching.md). */
import { type RawBuilder, sql } from 'kysely'
import { ADVISORY_PARSER_VERSION, type AdvisorySource } from '../../../formats/advisories/model.ts'
import type { Tx } from '../../../platform/db/connect.ts'

/** The number is arbitrary; it identifies the lock. */
const MERGE_LOCK = 4_927_518_306

/** Takes the lock of merges if no other merge has it. */
export async function tryLockMerges(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(${MERGE_LOCK}) as is_locked`.execute(tx)
  return rows[0]?.isLocked === true
}

/** Merges run one after another: all of them write vulnerabilities. */
export async function lockMerges(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MERGE_LOCK})`.execute(tx)
}

export interface MergeCounts {
  /** An advisory that an import writes more than once counts once. */
  added: number
  changed: number
  withdrawn: number
}

/**
 * The age of a text is its modification time. If it states none, its file can hold it no earlier than it was made, so the
 * time of the file counts. A text of unknown age never replaces a dated one: two files imported in turn would replace
 * each other's texts for ever.
 */
const selectAge = (table: 'newest' | 'stored' | 'staged_advisories') =>
  sql`coalesce(${sql.ref(`${table}.modified_at`)}, ${sql.ref(`${table}.feed_at`)}, '-infinity'::timestamptz)`

/**
 * Fills `changed`: for each record the newest staged text, if it differs from the stored text and is not older. Of texts
 * of the same age the dated one wins, then that of the newer file, else the later import. Stored texts are looked up one by
 * one (`offset 0`): without statistics of what this merge has written, the planner would read the whole table each time.
 *
 * A text that is as old as the stored one may lose to the stored text itself, where the import holds that again and has not
 * read it. All of these are known only at last; until then such a text is deferred.
 */
export async function chooseChanges(
  tx: Tx,
  source: AdvisorySource,
  { at, isLast }: { at: Date; isLast: boolean },
): Promise<ChosenChanges> {
  await sql`truncate deferred, otherwise_written`.execute(tx)
  await sql`
    with compared as materialized (
      select newest.id, newest.ordinal, newest.text_hash, stored.id is null as is_new,
        stored.id is null or stored.aliases is distinct from newest.aliases
          or stored.cve_ids is distinct from newest.cve_ids
          or stored.linked_ids is distinct from newest.linked_ids as is_relinked,
        newest.withdrawn_at is not null and stored.withdrawn_at is null as is_withdrawal,
        coalesce(stored.written_by = pg_current_xact_id()::xid and stored.changed_at = ${at}, false) as is_repeated,
        stored.content_hash = newest.content_hash and stored.text_hash is distinct from newest.text_hash as is_otherwise_written,
        stored.id is null or (
          stored.content_hash <> newest.content_hash
          and (${selectAge('newest')}, newest.modified_at is not null) >= (${selectAge('stored')}, stored.modified_at is not null)
          and (newest.modified_at = stored.modified_at and newest.feed_at < stored.feed_at) is not true
          and not ${isLast ? IS_OLDER_THAN_UNREAD : sql`false`}) as is_changed,
        ${isLast ? sql`false` : MAY_BE_UNREAD} as is_deferred
      from (
        select distinct on (id)
          source, id, ordinal, content_hash, text_hash, aliases, cve_ids, linked_ids, modified_at, feed_at, withdrawn_at
        from staged_advisories where source = ${source}
        order by id, ${selectAge('staged_advisories')} desc, modified_at is null, feed_at desc nulls last, ordinal desc
      ) as newest
      left join lateral (
        select id, content_hash, text_hash, aliases, cve_ids, linked_ids, modified_at, feed_at, withdrawn_at, changed_at,
          xmin as written_by
        from advisories
        where advisories.source = ${source} and advisories.id = newest.id offset 0
      ) as stored on true
    ), known_texts as (
      insert into otherwise_written (id, text_hash)
      select id, text_hash from compared where is_otherwise_written and text_hash is not null
    ), put_off as (
      insert into deferred (ordinal) select ordinal from compared where is_changed and is_deferred
    )
    insert into changed (id, ordinal, is_new, is_relinked, is_withdrawal, is_repeated)
    select id, ordinal, is_new, is_relinked, is_withdrawal, is_repeated
    from compared where is_changed and not is_deferred`.execute(tx)
  await sql`analyze changed`.execute(tx)
  const { rows } = await sql<ChosenChanges>`
    select count(*) filter (where is_new and not is_withdrawal)::int as added,
      count(*) filter (where not is_new and not is_withdrawal and not is_repeated)::int as changed,
      count(*) filter (where is_withdrawal and not is_repeated)::int as withdrawn,
      count(*) filter (where is_new)::int as new_count,
      (select count(*)::int from deferred) as deferred_count,
      (select count(*)::int from otherwise_written) as otherwise_written_count
    from changed`.execute(tx)
  const [chosen] = rows
  if (chosen === undefined) throw new Error('a count has no row')
  if (chosen.otherwiseWrittenCount > 0) await rememberTexts(tx, source)
  return chosen
}

/** Texts that say the same in other words: a file that holds them again need not be read. */
async function rememberTexts(tx: Tx, source: AdvisorySource): Promise<void> {
  const news = await readJson(
    tx,
    sql`select ${source}::text as source, id, encode(text_hash, 'hex') as text_hash from otherwise_written`,
  )
  if (news === undefined) return
  await sql`
    update advisories as stored set text_hash = decode(news.text_hash, 'hex')
    from json_to_recordset(${news}::json) as news (source text, id text, text_hash text)
    where stored.source = news.source and stored.id = news.id`.execute(tx)
}

/** Whether the parsers of today have read the stored text. Then an import that holds the same text does not read it again. */
const MAY_BE_UNREAD = sql`
  coalesce(get_byte(stored.text_hash, 0) = ${sql.lit(ADVISORY_PARSER_VERSION)}
    and (stored.modified_at is null or stored.modified_at = newest.modified_at), false)`

/** As the newest staged text is chosen; the unread text is the stored one. */
const IS_OLDER_THAN_UNREAD = sql`exists (
  select from unread_advisories as unread
  where unread.id = newest.id and unread.source = newest.source
    and (coalesce(stored.modified_at, unread.feed_at, '-infinity'), stored.modified_at is not null,
      coalesce(unread.feed_at, '-infinity'), unread.ordinal)
    > (${selectAge('newest')}, newest.modified_at is not null, coalesce(newest.feed_at, '-infinity'), newest.ordinal))`

export interface CountedChanges extends MergeCounts {
  /** Also those that are withdrawn. */
  newCount: number
}

export interface ChosenChanges extends CountedChanges {
  /** Texts that are decided on at last. */
  deferredCount: number
  /** Other texts that mean the same as the stored ones. */
  otherwiseWrittenCount: number
}

/** Above this, a change names keys only: a first import would write millions of pairs of key and vulnerability. */
const MAX_CHANGES_WITH_VULNERABILITIES = 10_000

/**
 * Notes which pairs of key and vulnerability have to be matched again: those of changed statements, those whose
 * advisory now belongs to another vulnerability, and those whose vulnerability got another severity or score.
 */
export async function noteChangedKeys(
  tx: Tx,
  source: AdvisorySource,
  changed: number,
): Promise<void> {
  const pairs = changed > MAX_CHANGES_WITH_VULNERABILITIES ? keysOfMany(source) : pairsOfFew(source)
  await sql`
    with key_pairs as (
      ${pairs}
    )
    insert into changed_keys (key, vulnerability_id)
    select key, vulnerability_id from key_pairs
    union
    select product_key, vulnerability_id from key_pairs where product_key is not null
    on conflict do nothing`.execute(tx)
}

/**
 * Records the noted pairs, and the distributions and registries whose packages have to be matched again as a whole. Answers the
 * revision, or undefined when there are none.
 */
export async function writeKnowledgeChange(
  tx: Tx,
  { distributions, registries }: Record<'distributions' | 'registries', readonly string[]>,
): Promise<number | undefined> {
  return writeChanges(
    tx,
    sql`select key, vulnerability_id from changed_keys
      union
      select 'distribution:' || distribution, '*' from unnest(${distributions}::text[]) as distribution
      union
      select 'registry:' || registry, '*' from unnest(${registries}::text[]) as registry`,
  )
}

async function writeChanges(tx: Tx, pairs: RawBuilder<unknown>): Promise<number | undefined> {
  const { rows } = await sql<{ revision: number }>`
    select nextval('knowledge_revision') as revision`.execute(tx)
  const revision = rows[0]?.revision
  const { numAffectedRows } = await sql`
    insert into knowledge_changes (revision, key, vulnerability_id)
    select ${revision}::bigint, key, vulnerability_id from (${pairs}) as pairs
    order by key, vulnerability_id`.execute(tx)
  return numAffectedRows === 0n ? undefined : revision
}

/** Records that the matches of these vulnerabilities have to be read again, whatever their advisories say. */
export async function writeExploitChange(
  tx: Tx,
  vulnerabilityIds: readonly string[],
): Promise<number | undefined> {
  return writeChanges(
    tx,
    sql`select distinct named.key, link.vulnerability_id
      from advisory_vulnerabilities as link
      join advisory_affected as affected
        on affected.source = link.source and affected.advisory_id = link.advisory_id
      cross join lateral (values (affected.key), (affected.product_key)) as named (key)
      where link.vulnerability_id = any(${vulnerabilityIds}::text[]) and named.key is not null`,
  )
}

const pairsOfFew = (source: AdvisorySource) => sql`
  select affected.key, affected.product_key, link.vulnerability_id
  from changed_affected as affected
  cross join lateral (
    select vulnerability_id from advisory_vulnerabilities
    where source = ${source} and advisory_id = affected.advisory_id offset 0
  ) as link
  union
  select affected.key, affected.product_key, moved.vulnerability_id
  from changed_affected as affected
  join moved on moved.source = ${source} and moved.advisory_id = affected.advisory_id
  union
  select affected.key, affected.product_key, moved.vulnerability_id
  from moved
  cross join lateral (
    select key, product_key from advisory_affected
    where source = moved.source and advisory_id = moved.advisory_id offset 0
  ) as affected
  union
  select affected.key, affected.product_key, rescored.vulnerability_id
  from rescored
  cross join lateral (${linksOfRescored}) as link
  cross join lateral (
    select key, product_key from advisory_affected
    where source = link.source and advisory_id = link.advisory_id offset 0
  ) as affected`

/** Looked up one by one: without statistics of `rescored` the planner would read all links. */
const linksOfRescored = sql`
  select each.source, each.advisory_id from advisory_vulnerabilities as each
  where each.vulnerability_id = rescored.vulnerability_id offset 0`

/** All keys of new advisories are noted already. */
const keysOfMany = (source: AdvisorySource) => sql`
  select key, product_key, '*' as vulnerability_id from changed_affected
  union
  select affected.key, affected.product_key, '*'
  from (
    select source, advisory_id from moved
    union
    select link.source, link.advisory_id
    from rescored cross join lateral (${linksOfRescored}) as link
    except
    select ${source}, id from changed where is_new
  ) as concerned
  cross join lateral (
    select key, product_key from advisory_affected as affected
    where affected.source = concerned.source and affected.advisory_id = concerned.advisory_id offset 0
  ) as affected`

/**
 * The rows of a query as JSON, which nobody parses here; undefined: there are none. It is for statements that delete or update
 * rows by what temporary tables name: Citus copies the tables of knowledge to each node, and such a statement on them may not
 * read a temporary table.
 */
export async function readJson(tx: Tx, query: RawBuilder<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ json: string | null }>`
    select json_agg(each)::text as json from (${query}) as each`.execute(tx)
  return rows[0]?.json ?? undefined
}

/** Writes staged advisories where they differ from the stored ones (docs/design/matching.md). */
import { type RawBuilder, sql } from 'kysely'
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

/** Called with the number of changed advisories that a step has done, and their total. */
export type OnDone = (done: number, total: number) => void

const RANGE = 25_000

/** Parts a step over `changed` by ids, so that it can say how far it is. */
async function eachRange(
  tx: Tx,
  onDone: OnDone,
  work: (
    inRange: (id: 'changed.id' | 'changed.advisoryId') => RawBuilder<unknown>,
  ) => Promise<void>,
): Promise<void> {
  const { rows } = await sql<Record<'after' | 'last', string> & Record<'done' | 'total', number>>`
    select lag(id, 1, '') over (order by id) as after, id as last, place::int as done, total::int as total
    from (
      select id, row_number() over (order by id) as place, count(*) over () as total from changed
    ) as numbered
    where place % ${RANGE} = 0 or place = total
    order by place`.execute(tx)
  for (const { after, last, done, total } of rows) {
    await work((id) => sql`(${sql.ref(id)} > ${after} and ${sql.ref(id)} <= ${last})`)
    onDone(done, total)
  }
}

/** Fills `changed_affected`: the keys of changed advisories whose statements differ. Call it before `writeAdvisories`. */
export async function chooseChangedAffected(
  tx: Tx,
  source: AdvisorySource,
  onDone: OnDone,
): Promise<void> {
  await eachRange(tx, onDone, async (inRange) => {
    await sql`
      insert into incoming_affected (advisory_id, key, product_key, statements)
      select changed.id, item ->> 'key', item ->> 'productKey', item -> 'statements'
      from changed
      join staged_advisories as staged using (ordinal)
      cross join lateral jsonb_array_elements(staged.affected::jsonb) as item
      where ${inRange('changed.id')}`.execute(tx)
  })
  await sql`analyze incoming_affected`.execute(tx)
  await sql`
    insert into changed_affected (advisory_id, key, product_key, is_gone)
    select coalesce(incoming.advisory_id, stored.advisory_id), coalesce(incoming.key, stored.key),
      coalesce(incoming.product_key, stored.product_key), incoming.key is null
    from (
      select affected.* from changed
      join advisory_affected as affected on affected.source = ${source} and affected.advisory_id = changed.id
      where not changed.is_new
    ) as stored
    full join incoming_affected as incoming
      on incoming.advisory_id = stored.advisory_id and incoming.key = stored.key
    where stored.key is null or incoming.key is null or stored.statements is distinct from incoming.statements`.execute(
    tx,
  )
  await sql`analyze changed_affected`.execute(tx)
}

/**
 * Updates which distributions have records, and answers those whose first record came or last record went. Call it
 * between `chooseChangedAffected` and `writeAdvisories`. Records by CVE are not made by the distributions.
 */
export async function updateKnownDistributions(tx: Tx, source: AdvisorySource): Promise<string[]> {
  if (source === 'cvelist' || source === 'nvd') return []
  const { rows } = await sql<{ stated: string }>`
    with named as (
      select changed.key, stored.statements, -1 as amount
      from changed_affected as changed
      join advisory_affected as stored
        on stored.source = ${source} and stored.advisory_id = changed.advisory_id and stored.key = changed.key
      union all
      select changed.key, incoming.statements, 1
      from changed_affected as changed join incoming_affected as incoming using (advisory_id, key)
      where not changed.is_gone
    ), moved as (
      select stated, sum(named.amount)::int as amount
      from named
      cross join lateral (
        select distinct coalesce(statement ->> 'distro', split_part(named.key, '/', 2)) as stated
        from jsonb_array_elements(named.statements) as statement
      ) as distributions
      where named.key ~ '^purl:(deb|rpm|apk)/'
      group by stated having sum(named.amount) <> 0
    ), gone as (
      delete from known_distributions as known using moved
      where known.stated = moved.stated and known.amount + moved.amount <= 0
      returning known.stated
    ), counted as (
      update known_distributions as known set amount = known.amount + moved.amount from moved
      where known.stated = moved.stated and known.amount + moved.amount > 0
    ), new as (
      insert into known_distributions (stated, amount)
      select stated, amount from moved
      where amount > 0 and not exists (
        select from known_distributions as known where known.stated = moved.stated)
      returning stated
    )
    select stated from gone union all select stated from new order by 1`.execute(tx)
  return rows.map(({ stated }) => stated)
}

/** The inner query sorts by id before the large texts are read. */
export async function writeAdvisories(
  tx: Tx,
  source: AdvisorySource,
  { at, onDone }: { at: Date; onDone: OnDone },
): Promise<void> {
  await sql`
    delete from advisory_affected as affected using changed_affected as gone
    where gone.is_gone and affected.source = ${source}
      and affected.advisory_id = gone.advisory_id and affected.key = gone.key`.execute(tx)
  await eachRange(tx, onDone, async (inRange) => {
    await sql`
      insert into advisories (source, id, content_hash, aliases, cve_ids, linked_ids, record, name, primary_score,
        stated_severity, published_at, modified_at, feed_at, withdrawn_at, first_seen_at, changed_at)
      select ${source}, id, content_hash, aliases, cve_ids, linked_ids, record::jsonb, name, primary_score::jsonb,
        stated_severity, published_at, modified_at, feed_at, withdrawn_at, ${at}, ${at}
      from (
        select staged.* from changed join staged_advisories as staged using (ordinal)
        where ${inRange('changed.id')} order by changed.id offset 0
      ) as news
      on conflict (source, id) do update set
        content_hash = excluded.content_hash, aliases = excluded.aliases, cve_ids = excluded.cve_ids,
        linked_ids = excluded.linked_ids, record = excluded.record, name = excluded.name,
        primary_score = excluded.primary_score, stated_severity = excluded.stated_severity,
        published_at = excluded.published_at, modified_at = excluded.modified_at, feed_at = excluded.feed_at,
        withdrawn_at = excluded.withdrawn_at, changed_at = excluded.changed_at`.execute(tx)
    await sql`
      insert into advisory_affected (source, advisory_id, key, product_key, statements)
      select ${source}, changed.advisory_id, changed.key, incoming.product_key, incoming.statements
      from changed_affected as changed
      join incoming_affected as incoming using (advisory_id, key)
      where not changed.is_gone and ${inRange('changed.advisoryId')}
      order by changed.advisory_id, changed.key
      on conflict (source, advisory_id, key) do update
        set product_key = excluded.product_key, statements = excluded.statements`.execute(tx)
  })
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
  const vulnerability =
    changed > MAX_CHANGES_WITH_VULNERABILITIES ? sql`'*'` : sql`vulnerability_id`
  const { rows } = await sql<{ revision: number }>`
    with key_pairs as (
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
        on affected.source = link.source and affected.advisory_id = link.advisory_id
    ), pairs as (
      select key, ${vulnerability} as vulnerability_id from key_pairs
      union
      select product_key, ${vulnerability} from key_pairs where product_key is not null
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

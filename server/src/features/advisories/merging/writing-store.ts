/** Writes the changed advisories and what they say about keys, and collects the keys whose statements differ. */
import { type RawBuilder, sql } from 'kysely'
import type { AdvisorySource } from '../../../formats/advisories/model.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { readJson } from './store.ts'

/** Called with the number of changed advisories that a step has done, and their total. */
export type OnDone = (done: number, total: number) => void

interface MergeRange {
  source: AdvisorySource
  at: Date
  inRange: RawBuilder<unknown>
}

/**
 * Fills `changed_affected`. It works range by range of ids: each step then handles what is still in memory, and says how far
 * it is.
 */
export async function writeAdvisories(
  tx: Tx,
  source: AdvisorySource,
  { at, onDone }: { at: Date; onDone: OnDone },
): Promise<void> {
  const isOfDistributions = namesDistributions(source)
  for (const { after, last, size, done, total, known } of await listRanges(tx)) {
    const inRange = sql`(changed.id > ${after} and changed.id <= ${last})`
    const writing = { source, at, inRange }
    await sql`truncate range_affected`.execute(tx)
    if (known > 0) {
      await chooseChangedAffected(tx, writing)
      if (isOfDistributions) await countDistributions(tx, source, -1)
      await writeKnown(tx, writing)
    }
    if (known < size) await writeNew(tx, writing)
    if (isOfDistributions) await countDistributions(tx, source, 1)
    await sql`
      insert into changed_affected (advisory_id, key, product_key, is_gone)
      select advisory_id, key, product_key, is_gone from range_affected`.execute(tx)
    onDone(done, total)
  }
  await sql`analyze changed_affected`.execute(tx)
}

/** Records by CVE are not made by the distributions. */
const namesDistributions = (source: AdvisorySource) => source !== 'cvelist' && source !== 'nvd'

const RANGE = 11_000

interface IdRange {
  after: string
  last: string
  size: number
  /** The number of changed advisories up to its last one. */
  done: number
  total: number
  /** How many of its advisories are not new. */
  known: number
}

async function listRanges(tx: Tx): Promise<IdRange[]> {
  const { rows } = await sql<IdRange>`
    select lag(max(id), 1, '') over (order by range) as after, max(id) as last, count(*)::int as size,
      sum(count(*)) over (order by range)::int as done, total::int as total,
      count(*) filter (where not is_new)::int as known
    from (
      select id, is_new, (row_number() over (order by id) - 1) / ${RANGE}::int as range, count(*) over () as total
      from changed
    ) as numbered
    group by range, total
    order by range`.execute(tx)
  return rows
}

/**
 * Fills `range_affected` with the keys of known advisories whose statements differ. Here as in all statements of a merge, stored rows
 * are looked up one by one for rows that the merge has (`offset 0`), or the merge's rows name the source that is looked up. A join
 * with the rows of one source would be planned by how many rows of it the statistics know: none, in its first import, so that all
 * its rows would be compared with each row of the merge.
 */
async function chooseChangedAffected(tx: Tx, { source, inRange }: MergeRange): Promise<void> {
  await sql`truncate incoming_affected`.execute(tx)
  await sql`
    insert into incoming_affected (advisory_id, key, product_key, statements)
    select changed.id, item ->> 'key', item ->> 'productKey', item -> 'statements'
    from changed
    join staged_advisories as staged using (ordinal)
    cross join lateral json_array_elements(staged.affected::json) as item
    where not changed.is_new and ${inRange}`.execute(tx)
  await sql`analyze incoming_affected (advisory_id, key)`.execute(tx)
  await sql`
    insert into range_affected (advisory_id, key, product_key, is_gone)
    select coalesce(incoming.advisory_id, stored.advisory_id), coalesce(incoming.key, stored.key),
      coalesce(incoming.product_key, stored.product_key), incoming.key is null
    from (
      select affected.* from changed
      cross join lateral (
        select advisory_id, key, product_key, statements from advisory_affected
        where source = ${source} and advisory_id = changed.id offset 0
      ) as affected
      where not changed.is_new and ${inRange}
    ) as stored
    full join incoming_affected as incoming
      on incoming.advisory_id = stored.advisory_id and incoming.key = stored.key
    where stored.key is null or incoming.key is null
      or stored.statements::jsonb is distinct from incoming.statements::jsonb`.execute(tx)
}

const COLUMNS = sql`content_hash, text_hash, aliases, cve_ids, linked_ids`
const DATES = sql`stated_severity, published_at, modified_at, feed_at, withdrawn_at, is_disputed, ssvc_class`

/** The staged records of the range; they are sorted by id before their large texts are read. */
const stagedIn = ({ inRange }: MergeRange, isNew: boolean) => sql`(
  select staged.* from changed join staged_advisories as staged using (ordinal)
  where changed.is_new = ${isNew} and ${inRange} order by changed.id offset 0
) as news`

const insertAdvisories = ({ source, at }: MergeRange, staged: RawBuilder<unknown>) => sql`
  insert into advisories (source, id, ${COLUMNS}, name, primary_score, ${DATES}, first_seen_at, changed_at)
  select ${source}, id, ${COLUMNS}, name, primary_score::jsonb, ${DATES}, ${at}, ${at} from ${staged}`

const insertRecords = ({ source }: MergeRange, staged: RawBuilder<unknown>) => sql`
  insert into advisory_records (source, advisory_id, record) select ${source}, id, record::json from ${staged}`

async function writeKnown(tx: Tx, writing: MergeRange): Promise<void> {
  const { source } = writing
  const staged = stagedIn(writing, false)
  await deleteGone(tx, source)
  await sql`
    ${insertAdvisories(writing, staged)}
    on conflict (source, id) do update set
      content_hash = excluded.content_hash, text_hash = excluded.text_hash, aliases = excluded.aliases, cve_ids = excluded.cve_ids,
      linked_ids = excluded.linked_ids, name = excluded.name,
      primary_score = excluded.primary_score, stated_severity = excluded.stated_severity,
      published_at = excluded.published_at, modified_at = excluded.modified_at, feed_at = excluded.feed_at,
      withdrawn_at = excluded.withdrawn_at, is_disputed = excluded.is_disputed, ssvc_class = excluded.ssvc_class, changed_at = excluded.changed_at`.execute(
    tx,
  )
  await sql`
    ${insertRecords(writing, staged)}
    on conflict (source, advisory_id) do update set record = excluded.record`.execute(tx)
  await sql`
    insert into advisory_affected (source, advisory_id, key, product_key, statements, vulnerable_code)
    select ${source}, news.advisory_id, news.key, incoming.product_key, incoming.statements,
      ${selectVulnerableCode(sql`incoming.statements`)}
    from range_affected as news
    join incoming_affected as incoming using (advisory_id, key)
    where not news.is_gone
    order by news.advisory_id, news.key
    on conflict (source, advisory_id, key) do update
      set product_key = excluded.product_key, statements = excluded.statements,
        vulnerable_code = excluded.vulnerable_code`.execute(tx)
}

async function deleteGone(tx: Tx, source: AdvisorySource): Promise<void> {
  const gone = await readJson(
    tx,
    sql`select ${source}::text as source, advisory_id, key from range_affected where is_gone`,
  )
  if (gone === undefined) return
  await sql`
    delete from advisory_affected as affected
    using json_to_recordset(${gone}::json) as gone (source text, advisory_id text, key text)
    where affected.source = gone.source and affected.advisory_id = gone.advisory_id and affected.key = gone.key`.execute(
    tx,
  )
}

/** Merges run one after another, so that nobody else can write the same rows: a check for conflicts would cost a third. */
async function writeNew(tx: Tx, writing: MergeRange): Promise<void> {
  const { source, inRange } = writing
  const staged = stagedIn(writing, true)
  await insertAdvisories(writing, staged).execute(tx)
  await insertRecords(writing, staged).execute(tx)
  await sql`
    insert into advisory_affected (source, advisory_id, key, product_key, statements, vulnerable_code)
    select ${source}, news.id, item ->> 'key', item ->> 'productKey', item -> 'statements',
      ${selectVulnerableCode(sql`item -> 'statements'`)}
    from (
      select changed.id, staged.affected from changed join staged_advisories as staged using (ordinal)
      where changed.is_new and ${inRange} order by changed.id offset 0
    ) as news
    cross join lateral json_array_elements(news.affected::json) as item`.execute(tx)
  await sql`
    insert into range_affected (advisory_id, key, product_key, is_gone)
    select written.advisory_id, written.key, written.product_key, false
    from changed cross join lateral (
      select advisory_id, key, product_key from advisory_affected
      where source = ${source} and advisory_id = changed.id offset 0
    ) as written
    where changed.is_new and ${inRange}`.execute(tx)
}

/** The first statement has the files and folders of all; null where it has none. */
const selectVulnerableCode = (statements: RawBuilder<unknown>) =>
  sql`nullif((${statements} -> 0 -> 'vulnerableCode')::jsonb, '[]')`

/** Adds the stored statements under changed keys to the count of what changes for distributions, or takes them from it. */
async function countDistributions(tx: Tx, source: AdvisorySource, sign: 1 | -1): Promise<void> {
  await sql`
    insert into moved_distributions (stated, amount)
    select stated, ${sign}::int * count(*)
    from range_affected as changed
    cross join lateral (
      select statements from advisory_affected
      where source = ${source} and advisory_id = changed.advisory_id and key = changed.key offset 0
    ) as stored
    cross join lateral (
      select distinct coalesce(statement ->> 'distro', split_part(changed.key, '/', 2)) as stated
      from json_array_elements(stored.statements) as statement
    ) as distributions
    where changed.key ~ '^purl:(deb|rpm|apk)/'
    group by stated`.execute(tx)
}

/** After all advisories are written. Answers the distributions whose first record came or whose last one went. */
export async function updateKnownDistributions(tx: Tx, source: AdvisorySource): Promise<string[]> {
  if (!namesDistributions(source)) return []
  const { rows } = await sql<{ stated: string; known: number | null; amount: number }>`
    select moved.stated, known.amount as known, coalesce(known.amount, 0) + moved.amount as amount
    from (
      select stated, sum(amount)::int as amount from moved_distributions group by stated having sum(amount) <> 0
    ) as moved
    left join known_distributions as known on known.stated = moved.stated
    order by moved.stated`.execute(tx)
  if (rows.length === 0) return []
  const gone = rows.filter(({ known, amount }) => known !== null && amount <= 0)
  const held = rows.filter(({ amount }) => amount > 0)
  await sql`
    delete from known_distributions
    where stated = any(${gone.map(({ stated }) => stated)}::text[])`.execute(tx)
  await sql`
    insert into known_distributions (stated, amount)
    select stated, amount from unnest(${held.map(({ stated }) => stated)}::text[],
      ${held.map(({ amount }) => amount)}::int[]) as held (stated, amount)
    on conflict (stated) do update set amount = excluded.amount`.execute(tx)
  return [...gone, ...held.filter(({ known }) => known === null)].map(({ stated }) => stated)
}

/** Whether nobody knows most of the staged records yet. They are looked up one by one, as they are few beside the known ones. */
export async function areMostlyNew(tx: Tx, source: AdvisorySource): Promise<boolean> {
  const { rows } = await sql<{ areMostlyNew: boolean }>`
    select 10 * count(stored.id) < count(*) as are_mostly_new
    from staged_advisories as staged
    left join lateral (
      select id from advisories where advisories.source = ${source} and advisories.id = staged.id offset 0
    ) as stored on true
    where staged.source = ${source}`.execute(tx)
  return rows[0]?.areMostlyNew === true
}

/** Which of these records are stored or staged. */
export async function findKnown(
  tx: Tx,
  source: AdvisorySource,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select known.id
    from unnest(${ids}::text[]) as given (id) cross join lateral (
      select id from advisories where advisories.source = ${source} and advisories.id = given.id offset 0
    ) as known
    union
    select id from staged_advisories where source = ${source} and id = any(${ids}::text[])`.execute(
    tx,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Fills `changed` and `moved`: each record stands for the vulnerability with its id. */
export async function noteNew(
  tx: Tx,
  source: AdvisorySource,
  { ids, areWithdrawn }: { ids: readonly string[]; areWithdrawn: readonly boolean[] },
): Promise<void> {
  await sql`
    insert into changed (id, is_new, is_relinked, is_withdrawal, is_repeated)
    select id, true, true, is_withdrawn, false
    from unnest(${ids}::text[], ${areWithdrawn}::boolean[]) as given (id, is_withdrawn) order by id collate "C"`.execute(
    tx,
  )
  await sql`
    insert into moved (source, advisory_id, vulnerability_id, is_new)
    select ${source}, id, id, true from changed`.execute(tx)
  await sql`analyze changed, moved`.execute(tx)
}

/** As `rememberRead`, for the records in `changed`. */
export async function rememberNew(tx: Tx): Promise<void> {
  await sql`
    insert into read_ids (id) select id from changed order by id on conflict do nothing`.execute(tx)
}

/** Packages with these keys have to be matched again, whatever the vulnerability. */
export async function noteKeys(tx: Tx, keys: readonly string[]): Promise<void> {
  await sql`
    insert into changed_keys (key, vulnerability_id)
    select key, '*' from unnest(${keys}::text[]) as given (key) order by key collate "C"
    on conflict do nothing`.execute(tx)
}

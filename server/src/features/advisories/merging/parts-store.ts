/** What was imported of each part of a source (a year of NVD, an ecosystem of OSV), and which advisories its archive holds. */
import { sql } from 'kysely'
import { ADVISORY_PARSER_VERSION, type AdvisorySource } from '../../../formats/advisories/model.ts'
import { parseEcosystem, findRegistryOfEcosystem } from '../../../formats/ecosystems.ts'
import type { FeedSource } from '../../../formats/feed-files.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { readJson } from './store.ts'

/** How far a part was read: the validators of HTTP, and a position whose form the source's own code defines. */
export interface PartMarks {
  etag?: string | undefined
  lastModified?: string | undefined
  position?: string | undefined
}

/** Records that their publisher has deleted; or the ones it still lists, where all its others are withdrawn. */
export interface Withdrawals {
  /** What the ids of the publisher's records begin with, before a colon. */
  publisher: string
  are: 'Deleted' | 'Listed'
  ids: readonly string[]
}

export interface CompletedPart {
  source: FeedSource
  name: string
  isSnapshot: boolean
  marks: PartMarks
  recordCount: number
  skippedCount: number
  skippedReasons: Record<string, number>
  notice: string | undefined
  at: Date
}

/** In the transaction of the merge. */
export async function recordPart(tx: Tx, part: CompletedPart): Promise<void> {
  const { source, name, isSnapshot, marks, at } = part
  // Undefined members of `marks` keep the stored values.
  const read = {
    completedAt: at,
    checkedAt: at,
    ...(isSnapshot && { snapshotReadAt: at }),
    ...marks,
    skippedCount: part.skippedCount,
    skippedReasons: JSON.stringify(part.skippedReasons),
    notice: part.notice ?? null,
    parserVersion: ADVISORY_PARSER_VERSION,
  }
  const { recordCount } = part
  await tx
    .insertInto('vulnerabilitySourceParts')
    .values({ source, part: name, ...read, recordCount })
    .onConflict((conflict) =>
      conflict
        .columns(['source', 'part'])
        .doUpdateSet({ ...read, ...(isSnapshot && { recordCount }), lastError: null }),
    )
    .execute()
}

/** The number of records in the part's last archive. Before the first one: the number known of the source, if the part is all of it. */
export async function findKnownCount(
  tx: Tx,
  { source, name, isWhole }: { source: FeedSource; name: string; isWhole: boolean },
): Promise<number> {
  const { rows } = await sql<{ known: number }>`
    select coalesce(
      (select record_count from vulnerability_source_parts
        where source = ${source} and part = ${name} and snapshot_read_at is not null),
      case when ${isWhole} then (select record_count from vulnerability_sources where source = ${source}) end,
      0) as known`.execute(tx)
  return rows[0]?.known ?? 0
}

/** Keeps the ids of the staged advisories until the whole archive is read. */
export async function rememberRead(tx: Tx, source: AdvisorySource): Promise<void> {
  await sql`
    insert into read_ids (id)
    select id from (select distinct id from staged_advisories where source = ${source}) as staged
    order by id
    on conflict do nothing`.execute(tx)
}

/** Selects the advisories that the part's last archive held and the one that was read does not, and counts them. */
export async function chooseMissing(
  tx: Tx,
  source: AdvisorySource,
  part: string,
): Promise<{ missing: number; known: number }> {
  await sql`analyze read_ids`.execute(tx)
  await sql`
    insert into missing (id, is_orphan)
    select held.advisory_id, not exists (
      select from advisory_parts as other
      where other.source = held.source and other.advisory_id = held.advisory_id and other.part <> held.part)
    from advisory_parts as held
    where held.source = ${source} and held.part = ${part}
      and (select true from read_ids where read_ids.id = held.advisory_id) is null`.execute(tx)
  const { rows } = await sql<{ missing: number; known: number }>`
    select (select count(*)::int from missing) as missing,
      (select count(*)::int from advisory_parts where source = ${source} and part = ${part}) as known`.execute(
    tx,
  )
  return rows[0] ?? { missing: 0, known: 0 }
}

/** Selects the advisories in force that the publisher has withdrawn. `known`: all of the publisher that are in force. */
export async function chooseWithdrawn(
  tx: Tx,
  source: AdvisorySource,
  { publisher, are, ids }: Withdrawals,
): Promise<{ missing: number; known: number }> {
  const inForce = sql`
    advisories where source = ${source} and withdrawn_at is null
      and id >= ${`${publisher}:`} and id < ${`${publisher};`}`
  await sql`
    insert into missing (id, is_orphan)
    select id, true from ${inForce} and (id = any(${ids}::text[])) = ${are === 'Deleted'}`.execute(
    tx,
  )
  const { rows } = await sql<{ missing: number; known: number }>`
    select (select count(*)::int from missing) as missing, (select count(*)::int from ${inForce}) as known`.execute(
    tx,
  )
  return rows[0] ?? { missing: 0, known: 0 }
}

/** Does not stage the archived records of advisories that are withdrawn because their publisher deleted them. */
export async function leaveWithdrawn(
  tx: Tx,
  source: AdvisorySource,
  { are, ids }: Withdrawals,
): Promise<void> {
  if (are !== 'Deleted') return
  // Citus takes no change of a temporary table that reads other tables.
  const { rows } = await sql<{ id: string }>`
    select id from advisories
    where source = ${source} and id = any(${ids}::text[]) and withdrawn_at is not null`.execute(tx)
  await sql`
    delete from staged_advisories
    where source = ${source} and id = any(${rows.map(({ id }) => id)}::text[])`.execute(tx)
}

/**
 * Stages a withdrawal for each missing advisory that no other part holds: the same record without affected packages.
 * Negative ordinals tell these rows from those that were read.
 */
export async function stageMissing(tx: Tx, source: AdvisorySource, at: Date): Promise<void> {
  await sql`
    insert into staged_advisories (ordinal, source, id, content_hash, aliases, cve_ids, linked_ids, record, name,
      primary_score, stated_severity, published_at, modified_at, feed_at, withdrawn_at, is_disputed, ssvc_class, affected)
    select -row_number() over (order by advisories.id), advisories.source, advisories.id, sha256(content_hash || 'withdrawn'::bytea), aliases, cve_ids, linked_ids,
      jsonb_set(stored.record::jsonb, '{withdrawnAt}', to_jsonb(${at.toISOString()}::text))::text, name, primary_score::text,
      stated_severity, published_at, modified_at, feed_at, ${at}, is_disputed, ssvc_class, '[]'
    from missing
    cross join lateral (
      select * from advisories where advisories.source = ${source} and advisories.id = missing.id offset 0
    ) as advisories
    cross join lateral (
      select record from advisory_records where source = ${source} and advisory_id = missing.id offset 0
    ) as stored
    where missing.is_orphan and advisories.withdrawn_at is null`.execute(tx)
}

/** After the merge: records which advisories the archive holds. `isGone`: forget the missing ones. */
export async function replaceMembers(
  tx: Tx,
  source: AdvisorySource,
  { part, isGone }: { part: string; isGone: boolean },
): Promise<void> {
  if (isGone) await deleteMissing(tx, source, part)
  await sql`
    insert into advisory_parts (source, part, advisory_id)
    select ${source}, ${part}, id from read_ids
    order by id
    on conflict do nothing`.execute(tx)
}

async function deleteMissing(tx: Tx, source: AdvisorySource, part: string): Promise<void> {
  const missing = await readJson(
    tx,
    sql`select ${source}::text as source, ${part}::text as part, id from missing`,
  )
  if (missing === undefined) return
  await sql`
    delete from advisory_parts as held
    using json_to_recordset(${missing}::json) as missing (source text, part text, id text)
    where held.source = missing.source and held.part = missing.part and held.advisory_id = missing.id`.execute(
    tx,
  )
}

/** What counts as loaded since an archive was read to its last record: only that says something by its silence. */
export interface NewlyLoaded {
  /** As records state them. */
  distributions: string[]
  /** `purl:npm/` */
  registries: string[]
}

/** Answers what counts as loaded from now on, so that packages of it have to be matched again. */
export async function recordComplete(
  tx: Tx,
  source: AdvisorySource,
  { complete, at }: { complete: readonly string[]; at: Date },
): Promise<NewlyLoaded> {
  if (complete.length === 0) return { distributions: [], registries: [] }
  const names = [...new Set(complete)].toSorted()
  const { rows } = await sql<{ ecosystem: string }>`
    select ecosystem from unnest(${names}::text[]) as named (ecosystem)
    where not exists (select from complete_ecosystems as known where known.ecosystem = named.ecosystem)`.execute(
    tx,
  )
  await sql`
    insert into complete_ecosystems (source, ecosystem, completed_at)
    select ${source}, ecosystem, ${at} from unnest(${names}::text[]) as named (ecosystem)
    on conflict (source, ecosystem) do update set completed_at = excluded.completed_at`.execute(tx)
  const news = rows.map(({ ecosystem }) => ecosystem)
  if (news.length === 0) return { distributions: [], registries: [] }
  const families = new Set(news.map((name) => parseEcosystem(name).ecosystem.toLowerCase()))
  const known = await tx.selectFrom('knownDistributions').select('stated').execute()
  return {
    distributions: known
      .map(({ stated }) => stated)
      .filter((stated) => families.has(parseEcosystem(stated).ecosystem.toLowerCase())),
    registries: news.flatMap((name) => findRegistryOfEcosystem(name) ?? []),
  }
}

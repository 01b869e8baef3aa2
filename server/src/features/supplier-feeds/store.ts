import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface FeedFields {
  name: string
  url: string
}

export interface SupplierFeedRow extends FeedFields {
  id: string
  createdAt: Date
  updatedAt: Date
  dueAt: Date
  isBeingRead: boolean
  checkedAt: Date | null
  completedAt: Date | null
  error: string | null
  notice: string | null
  listedCount: number | null
  /** Documents that were tried. */
  knownCount: number
  readCount: number
  refusedCount: number
  withdrawnCount: number
  sizeBytes: number
}

/** All of the workspace by name, or the one that is named. */
export async function listFeeds(
  db: Db,
  workspaceId: string,
  id?: string,
): Promise<SupplierFeedRow[]> {
  const { rows } = await sql<SupplierFeedRow>`
    select feed.id, feed.name, feed.url, feed.created_at, feed.updated_at, feed.due_at,
      coalesce(feed.claimed_until > now(), false) as is_being_read, feed.checked_at, feed.completed_at, feed.error,
      feed.notice, feed.listed_count, counted.*
    from supplier_feeds as feed
    cross join lateral (
      select count(*)::int as known_count, count(*) filter (where document.read_at is not null and not document.is_withdrawn)::int as read_count,
        count(*) filter (where document.error is not null)::int as refused_count,
        count(*) filter (where document.is_withdrawn)::int as withdrawn_count,
        coalesce(sum(document.size_bytes), 0)::float8 as size_bytes
      from supplier_documents as document
      where document.workspace_id = ${workspaceId} and document.feed_id = feed.id) as counted
    where feed.workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`feed.id = ${id}::uuid`}
    order by lower(feed.name), feed.id`.execute(db)
  return rows
}

/** Changes of the feeds of a workspace run one after another, so that there are no more than it may have. */
export async function lockFeeds(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('supplier-feeds:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

interface WrittenFeed extends FeedFields {
  workspaceId: string
  id: string
  at: Date
}

export async function insertFeed(tx: Tx, { at, ...feed }: WrittenFeed): Promise<void> {
  await tx
    .insertInto('supplierFeeds')
    .values({ ...feed, createdAt: at, updatedAt: at, dueAt: at })
    .execute()
}

export async function updateFeed(
  tx: Tx,
  { workspaceId, id, at, ...fields }: WrittenFeed,
): Promise<void> {
  await tx
    .updateTable('supplierFeeds')
    .set({ ...fields, updatedAt: at })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

interface OneFeed {
  workspaceId: string
  id: string
}

/** Another address: nothing is known of what its list has. */
export async function forgetRuns(tx: Tx, { workspaceId, id }: OneFeed): Promise<void> {
  await tx
    .updateTable('supplierFeeds')
    .set({ checkedAt: null, completedAt: null, error: null, notice: null, listedCount: null })
    .set({ claimedBy: null, claimedUntil: null })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
  await tx
    .deleteFrom('supplierDocuments')
    .where('workspaceId', '=', workspaceId)
    .where('feedId', '=', id)
    .execute()
}

export async function askForRun(tx: Tx, { workspaceId, id, at }: OneFeed & { at: Date }) {
  await tx
    .updateTable('supplierFeeds')
    .set({ dueAt: sql<Date>`least(due_at, ${at})` })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Its documents go with it, and what they say. */
export async function deleteFeed(tx: Tx, { workspaceId, id }: OneFeed): Promise<void> {
  await tx
    .deleteFrom('supplierFeeds')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** The firmware versions about which documents of the feed say something, by id. */
export async function listStatedVersions(
  db: Db,
  { workspaceId, id, documentIds }: OneFeed & { documentIds?: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct made.firmware_version_id as id
    from supplier_documents as document
    join vex_documents as made on made.workspace_id = ${workspaceId} and made.supplier_document_id = document.id
    where document.workspace_id = ${workspaceId} and document.feed_id = ${id}
      and ${documentIds === undefined ? sql`true` : sql`document.id = any(${documentIds}::uuid[])`}
    order by made.firmware_version_id`.execute(db)
  return rows.map((row) => row.id)
}

/** The firmware versions that hold something. */
export async function listHoldingVersions(db: Db, workspaceId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct firmware_version_id as id from firmware_version_packages
    where workspace_id = ${workspaceId} and until is null order by firmware_version_id`.execute(db)
  return rows.map((row) => row.id)
}

export interface FeedEffects {
  /** What its documents say about firmware versions of the workspace. */
  statementCount: number
  firmwareVersionCount: number
  /** Findings that are decided by one of its statements. */
  decidedCount: number
  /** Statements that a component is affected by what no source knows of it: there is no finding. */
  affectedWithoutFindingCount: number
}

export interface UnmatchedAffected {
  vulnerability: string
  component: string | null
  componentVersion: string | null
  firmwareVersionId: string
  firmwareVersionName: string
  firmwareName: string
  detail: string | null
  document: string | null
  statedAt: Date
}

/**
 * What a supplier says to be affected, of which there is no finding: no source of the service matches the component with the
 * vulnerability, by any of its ids.
 */
const UNMATCHED = (workspaceId: string) => sql`
  select document.feed_id, target.firmware_version_id, target.vulnerability, target.package_id, statement.id,
    statement.detail, statement.stated_at, made.document_id as document
  from supplier_documents as document
  join vex_documents as made on made.workspace_id = ${workspaceId} and made.supplier_document_id = document.id
  join vex_statements as statement on statement.workspace_id = ${workspaceId} and statement.document_id = made.id
    and statement.assessment = 'Exploitable'
  join vex_statement_targets as target on target.workspace_id = ${workspaceId} and target.statement_id = statement.id
  where document.workspace_id = ${workspaceId} and not exists (
    select from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id and match.until is null
    join vulnerability_aliases as alias on alias.vulnerability_id = match.vulnerability_id
      and alias.alias = target.vulnerability
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = target.firmware_version_id
      and fact.until is null and (target.package_id is null or fact.package_id = target.package_id))
    and (target.package_id is null or exists (
      select from firmware_version_packages as held
      where held.workspace_id = ${workspaceId} and held.firmware_version_id = target.firmware_version_id
        and held.package_id = target.package_id and held.until is null))`

export async function countEffects(db: Db, workspaceId: string): Promise<Map<string, FeedEffects>> {
  const { rows } = await sql<FeedEffects & { feedId: string }>`
    with stated as materialized (
      select document.feed_id, statement.id, statement.firmware_version_id
      from supplier_documents as document
      join vex_documents as made on made.workspace_id = ${workspaceId} and made.supplier_document_id = document.id
      join vex_statements as statement on statement.workspace_id = ${workspaceId} and statement.document_id = made.id
      where document.workspace_id = ${workspaceId}
    ), unmatched as materialized (${UNMATCHED(workspaceId)})
    select feed_id, count(*)::int as statement_count,
      count(distinct firmware_version_id)::int as firmware_version_count, (
        select count(*)::int from finding_decisions as decision
        join stated as own on own.id = decision.statement_id and own.feed_id = stated.feed_id
        where decision.workspace_id = ${workspaceId}) as decided_count, (
        select count(distinct (unmatched.firmware_version_id, unmatched.vulnerability, unmatched.package_id))::int
        from unmatched where unmatched.feed_id = stated.feed_id) as affected_without_finding_count
    from stated group by feed_id`.execute(db)
  return new Map(rows.map(({ feedId, ...counts }) => [feedId, counts]))
}

const MOST_SHOWN = 1_000

export async function listUnmatched(
  db: Db,
  { workspaceId, id }: OneFeed,
): Promise<UnmatchedAffected[]> {
  const { rows } = await sql<UnmatchedAffected>`
    with unmatched as materialized (${UNMATCHED(workspaceId)})
    select distinct on (unmatched.vulnerability, unmatched.firmware_version_id, unmatched.package_id)
      unmatched.vulnerability, fact.component_name as component, fact.component_version, unmatched.detail,
      unmatched.document, unmatched.stated_at, version.id as firmware_version_id,
      version.name as firmware_version_name, firmware.name as firmware_name
    from unmatched
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = unmatched.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.firmware_version_id = unmatched.firmware_version_id and fact.package_id = unmatched.package_id
      and fact.until is null
    where unmatched.feed_id = ${id}
    order by unmatched.vulnerability desc, unmatched.firmware_version_id, unmatched.package_id,
      unmatched.stated_at desc
    limit ${MOST_SHOWN}`.execute(db)
  return rows
}

export interface SupplierDocumentRow {
  url: string
  title: string | null
  state: 'Read' | 'Withdrawn' | 'Refused'
  error: string | null
  listedAt: Date
  triedAt: Date
  readAt: Date | null
}

/** Those with a fault first, then the newest. */
export async function listDocuments(
  db: Db,
  { workspaceId, id }: OneFeed,
): Promise<SupplierDocumentRow[]> {
  const { rows } = await sql<SupplierDocumentRow>`
    select url, title, error, listed_at, tried_at, read_at,
      case when error is not null then 'Refused' when is_withdrawn then 'Withdrawn' else 'Read' end as state
    from supplier_documents
    where workspace_id = ${workspaceId} and feed_id = ${id}
    order by error is null, listed_at desc, url limit ${MOST_SHOWN}`.execute(db)
  return rows
}

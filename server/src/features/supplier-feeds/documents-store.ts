/** Claims of feeds, and what is kept of their documents. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface ClaimedFeed {
  workspaceId: string
  id: string
  name: string
  url: string
  claimedBy: string
}

/**
 * The feed that has waited longest, of a workspace of which none is being read at this moment: a workspace with slow suppliers
 * waits for itself alone. Undefined: none is due.
 */
export async function claimDueFeed(db: Db, claim: Claim): Promise<ClaimedFeed | undefined> {
  for (const due of await listDueFeeds(db, claim.now)) {
    const claimed = await claimFeed(db, due, claim)
    if (claimed) return claimed
  }
  return undefined
}

interface Claim {
  by: string
  now: Date
  seconds: number
}

/** Of workspaces of which nobody reads a feed, the longest waiting first. */
async function listDueFeeds(db: Db, now: Date): Promise<{ workspaceId: string; id: string }[]> {
  const { rows } = await sql<{ workspaceId: string; id: string }>`
    select due.workspace_id, due.id from supplier_feeds as due
    where due.due_at <= ${now} and (due.claimed_until > now()) is not true and not exists (
      select from supplier_feeds as other
      where other.workspace_id = due.workspace_id and other.claimed_until > now())
    order by due.due_at, due.id limit 10`.execute(db)
  return rows
}

/** Answers nothing where somebody else was faster. */
async function claimFeed(
  db: Db,
  { workspaceId, id }: { workspaceId: string; id: string },
  { by, now, seconds }: Claim,
): Promise<ClaimedFeed | undefined> {
  const { rows } = await sql<ClaimedFeed>`
    update supplier_feeds as feed
    set claimed_by = ${by}::uuid, claimed_until = now() + ${seconds} * interval '1 second'
    where feed.workspace_id = ${workspaceId} and feed.id = ${id} and feed.due_at <= ${now}
      and (feed.claimed_until > now()) is not true and not exists (
        select from supplier_feeds as other
        where other.workspace_id = ${workspaceId} and other.claimed_until > now())
    returning feed.workspace_id, feed.id, feed.name, feed.url, feed.claimed_by`.execute(db)
  return rows[0]
}

export interface RunEnd {
  dueAt: Date
  checkedAt: Date
  completedAt?: Date | undefined
  error: string | null
  notice: string | null
  listedCount?: number | undefined
}

/** Changes nothing if the feed was deleted, or given another address, meanwhile. */
export async function releaseFeed(db: Db, feed: ClaimedFeed, end: RunEnd): Promise<void> {
  const { completedAt, listedCount, ...always } = end
  await db
    .updateTable('supplierFeeds')
    .set({ ...always, claimedBy: null, claimedUntil: null })
    .$if(completedAt !== undefined, (query) => query.set({ completedAt: completedAt ?? null }))
    .$if(listedCount !== undefined, (query) => query.set({ listedCount: listedCount ?? null }))
    .where('workspaceId', '=', feed.workspaceId)
    .where('id', '=', feed.id)
    .where('claimedBy', '=', feed.claimedBy)
    .execute()
}

/** Answers whether the claim still holds. Until the end of the transaction the feed stays as it is. */
export async function holdClaim(tx: Tx, feed: ClaimedFeed): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from supplier_feeds
    where workspace_id = ${feed.workspaceId} and id = ${feed.id} and claimed_by = ${feed.claimedBy}
    for no key update`.execute(tx)
  return rows.length > 0
}

export interface KnownDocument {
  id: string
  url: string
  listedAt: Date
  triedAt: Date
  etag: string | null
  error: string | null
  sizeBytes: number
}

export async function listKnown(
  db: Db,
  { workspaceId, id }: ClaimedFeed,
): Promise<KnownDocument[]> {
  return db
    .selectFrom('supplierDocuments')
    .select(['id', 'url', 'listedAt', 'triedAt', 'etag', 'error', 'sizeBytes'])
    .where('workspaceId', '=', workspaceId)
    .where('feedId', '=', id)
    .execute()
}

export async function sumBytes(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size_bytes), 0)::float8 as bytes from supplier_documents
    where workspace_id = ${workspaceId}`.execute(db)
  return rows[0]?.bytes ?? 0
}

interface Tried {
  workspaceId: string
  feedId: string
  id: string
  url: string
  listedAt: Date
  triedAt: Date
}

export interface ReadDocument extends Tried {
  etag: string | null
  title: string | null
  isWithdrawn: boolean
  /** JSON; null if it is withdrawn. */
  document: string | null
  sizeBytes: number
}

export async function writeDocument(tx: Tx, { workspaceId, id, ...row }: ReadDocument) {
  const { feedId, url, ...fields } = row
  const isPending = row.document !== null
  const written = { ...fields, error: null, readAt: row.triedAt, isPending }
  await tx
    .insertInto('supplierDocuments')
    .values({ workspaceId, id, feedId, url, ...written })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'id']).doUpdateSet(written))
    .execute()
}

/** What was read before stays in force. */
export async function writeFailure(tx: Tx, { error, ...row }: Tried & { error: string }) {
  const { workspaceId, id, feedId, url, ...tried } = row
  const unread = { etag: null, isWithdrawn: false, document: null, sizeBytes: 0 }
  await tx
    .insertInto('supplierDocuments')
    .values({ workspaceId, id, feedId, url, ...tried, ...unread, error })
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'id']).doUpdateSet({ ...tried, error }),
    )
    .execute()
}

/** The server has what is known. */
export async function writeUnchanged(tx: Tx, { workspaceId, id, listedAt, triedAt }: Tried) {
  await tx
    .updateTable('supplierDocuments')
    .set({ listedAt, triedAt, error: null })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteDocuments(
  tx: Tx,
  { workspaceId, id, documentIds }: ClaimedFeed & { documentIds: readonly string[] },
): Promise<void> {
  await sql`
    delete from supplier_documents
    where workspace_id = ${workspaceId} and feed_id = ${id} and id = any(${documentIds}::uuid[])`.execute(
    tx,
  )
}

/** What a withdrawn document said counts no more. Answers how the documents call themselves. */
export async function deleteMadeOf(
  tx: Tx,
  { workspaceId, documentIds }: { workspaceId: string; documentIds: readonly string[] },
): Promise<{ documentId: string | null; author: string | null }[]> {
  const { rows } = await sql<{ documentId: string | null; author: string | null }>`
    with gone as (
      delete from vex_documents
      where workspace_id = ${workspaceId} and supplier_document_id = any(${documentIds}::uuid[])
      returning document_id, author
    )
    select distinct document_id, author from gone order by document_id, author`.execute(tx)
  return rows
}

export interface KeptDocument {
  id: string
  feedId: string
  feedName: string
  document: unknown
}

/** Documents of the workspace after that id, in the order of ids; of one run, or all. */
export async function listKept(
  db: Db,
  given: {
    workspaceId: string
    after: string
    limit: number
    documentIds: readonly string[] | undefined
  },
): Promise<KeptDocument[]> {
  const { workspaceId, after, limit, documentIds } = given
  const { rows } = await sql<KeptDocument>`
    select document.id, document.feed_id, feed.name as feed_name, document.document
    from supplier_documents as document
    join supplier_feeds as feed on feed.workspace_id = ${workspaceId} and feed.id = document.feed_id
    where document.workspace_id = ${workspaceId} and document.id > ${after}::uuid and document.document is not null
      and ${documentIds === undefined ? sql`true` : sql`document.id = any(${documentIds}::uuid[])`}
    order by document.id limit ${limit}`.execute(db)
  return rows
}

export async function hasDocuments(db: Db, workspaceId: string): Promise<boolean> {
  const { rows } = await sql`
    select from supplier_documents where workspace_id = ${workspaceId} limit 1`.execute(db)
  return rows.length > 0
}

/** The ids of what was read and not yet announced, which it is from now on. */
export async function takePending(tx: Tx, { workspaceId, id }: ClaimedFeed): Promise<string[]> {
  const rows = await tx
    .updateTable('supplierDocuments')
    .set({ isPending: false })
    .where('workspaceId', '=', workspaceId)
    .where('feedId', '=', id)
    .where('isPending', '=', true)
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

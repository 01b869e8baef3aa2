/** How a workspace publishes its advisories, and what it has published. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface PublisherFields {
  isPublic: boolean
  prefix: string
  name: string | null
  namespace: string | null
  contact: string | null
  publicAddress: string | null
  contacts: string[]
  policyAddress: string | null
  /** As people said; null: nobody has said. */
  securityTextServedUntil: Date | null
}

export interface PublisherRow extends PublisherFields {
  workspaceName: string
  updatedAt: Date | null
}

/** undefined: there is no such workspace. Without a row nothing is public. */
export async function findPublisher(
  db: Db,
  workspaceId: string,
): Promise<PublisherRow | undefined> {
  const { rows } = await sql<PublisherRow>`
    select workspace.name as workspace_name, coalesce(publisher.is_public, false) as is_public,
      coalesce(publisher.prefix, 'PSIRT') as prefix, publisher.name, publisher.namespace, publisher.contact,
      publisher.public_address, coalesce(publisher.contacts, '{}') as contacts, publisher.policy_address,
      publisher.security_text_served_until, publisher.updated_at
    from workspaces as workspace
    left join advisory_publishers as publisher on publisher.workspace_id = workspace.id
    where workspace.id = ${workspaceId}`.execute(db)
  return rows[0]
}

export async function lockPublisher(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('advisory-publisher:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function writePublisher(
  tx: Tx,
  row: PublisherFields & { workspaceId: string; updatedAt: Date },
): Promise<void> {
  const { workspaceId: _, ...columns } = row
  await tx
    .insertInto('advisoryPublishers')
    .values(row)
    .onConflict((conflict) => conflict.column('workspaceId').doUpdateSet(columns))
    .execute()
}

interface PublishedRow {
  trackingId: string
  title: string
  path: string
  sha512: string
  isWithdrawal: boolean
  firstAt: Date
  publishedAt: Date
}

/** The last revision of each advisory, the newest first. */
export async function listPublished(db: Db, workspaceId: string): Promise<PublishedRow[]> {
  const { rows } = await sql<PublishedRow>`
    select advisory.tracking_id, last.title, last.path, last.sha512, last.is_withdrawal, last.published_at, (
        select min(revision.published_at) from security_advisory_revisions as revision
        where revision.workspace_id = ${workspaceId} and revision.advisory_id = advisory.id) as first_at
    from security_advisories as advisory
    cross join lateral (
      select revision.title, revision.path, revision.sha512, revision.is_withdrawal, revision.published_at
      from security_advisory_revisions as revision
      where revision.workspace_id = ${workspaceId} and revision.advisory_id = advisory.id
      order by revision.number desc limit 1) as last
    where advisory.workspace_id = ${workspaceId} and advisory.tracking_id is not null
    order by last.published_at desc, advisory.tracking_id desc`.execute(db)
  return rows
}

/** Advisories that everybody can read while the public path is on. */
export async function countPublished(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from security_advisories
    where workspace_id = ${workspaceId} and tracking_id is not null`.execute(db)
  return rows[0]?.count ?? 0
}

/** When anything was published last; null: never. */
export async function findLastPublication(db: Db, workspaceId: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(published_at) as at from security_advisory_revisions where workspace_id = ${workspaceId}`.execute(
    db,
  )
  return rows[0]?.at ?? null
}

/** The last revision of the document with this name. */
export async function findPublished(
  db: Db,
  workspaceId: string,
  path: string,
): Promise<{ document: string; sha512: string } | undefined> {
  const { rows } = await sql<{ document: string; sha512: string }>`
    select document, sha512 from security_advisory_revisions
    where workspace_id = ${workspaceId} and path = ${path}
    order by number desc limit 1`.execute(db)
  return rows[0]
}

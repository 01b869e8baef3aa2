/** Advisories as people write them, and their revisions as they were published. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { AdvisoryContent } from './content.ts'

interface RevisionRow {
  number: number
  publishedAt: Date
  publishedByEmail: string | null
  summary: string
  isWithdrawal: boolean
  path: string
  sha512: string
}

export interface AdvisoryRow {
  id: string
  trackingId: string | null
  title: string
  content: AdvisoryContent
  isChanged: boolean
  caseId: string | null
  heldUntil: Date | null
  heldReason: string | null
  createdAt: Date
  createdByEmail: string | null
  updatedAt: Date
  /** Oldest first. */
  revisions: RevisionRow[]
}

interface JsonRevision extends Omit<RevisionRow, 'publishedAt'> {
  publishedAt: string
}

export interface AdvisoryFilter {
  /** Its id or tracking id. */
  id?: string | undefined
  caseId?: string | undefined
  vulnerabilityId?: string | undefined
}

/** The newest first. */
export async function listAdvisories(
  db: Db,
  workspaceId: string,
  { id, caseId, vulnerabilityId, limit }: AdvisoryFilter & { limit: number },
): Promise<AdvisoryRow[]> {
  const { rows } = await sql<Omit<AdvisoryRow, 'revisions'> & { revisions: JsonRevision[] }>`
    select advisory.id, advisory.tracking_id, advisory.title, advisory.content, advisory.is_changed, advisory.case_id,
      advisory.held_until, advisory.held_reason, advisory.created_at, advisory.created_by_email, advisory.updated_at,
      coalesce((
        select json_agg(json_build_object('number', revision.number, 'publishedAt', revision.published_at,
          'publishedByEmail', revision.published_by_email, 'summary', revision.summary,
          'isWithdrawal', revision.is_withdrawal, 'path', revision.path, 'sha512', revision.sha512) order by revision.number)
        from security_advisory_revisions as revision
        where revision.workspace_id = ${workspaceId} and revision.advisory_id = advisory.id), '[]') as revisions
    from security_advisories as advisory
    where advisory.workspace_id = ${workspaceId}
      and ${id === undefined ? sql`true` : sql`(advisory.id::text = ${id} or lower(advisory.tracking_id) = lower(${id}))`}
      and ${caseId === undefined ? sql`true` : sql`advisory.case_id::text = ${caseId}`}
      and ${
        vulnerabilityId === undefined
          ? sql`true`
          : sql`advisory.content -> 'vulnerabilities' @> jsonb_build_array(jsonb_build_object('vulnerabilityId', ${vulnerabilityId}::text))`
      }
    order by advisory.created_at desc, advisory.id desc limit ${limit}`.execute(db)
  return rows.map(({ revisions, ...row }) => ({
    ...row,
    revisions: revisions.map((one) => ({ ...one, publishedAt: new Date(one.publishedAt) })),
  }))
}

/** Advisories of a workspace are made and published one after another, so that each number is given once. */
export async function lockAdvisories(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('security-advisories:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function countAdvisories(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from security_advisories where workspace_id = ${workspaceId}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

interface WrittenAdvisory {
  workspaceId: string
  id: string
  title: string
  content: AdvisoryContent
  isChanged: boolean
  heldUntil: Date | null
  heldReason: string | null
  updatedAt: Date
}

export async function insertAdvisory(
  tx: Tx,
  row: WrittenAdvisory & { caseId: string | null; createdByEmail: string | null },
): Promise<void> {
  const { content, ...columns } = row
  await tx
    .insertInto('securityAdvisories')
    .values({ ...columns, content: JSON.stringify(content), createdAt: row.updatedAt })
    .execute()
}

export async function updateAdvisory(
  tx: Tx,
  { workspaceId, id, content, ...columns }: WrittenAdvisory,
): Promise<void> {
  await tx
    .updateTable('securityAdvisories')
    .set({ ...columns, content: JSON.stringify(content) })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteAdvisory(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('securityAdvisories')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** The highest number that was given with this prefix and year; 0: none. */
export async function findLastNumber(
  tx: Tx,
  workspaceId: string,
  { prefix, year }: { prefix: string; year: number },
): Promise<number> {
  const start = `${prefix}-${year}-`
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(substr(tracking_id, length(${start}) + 1)::int), 0) as last
    from security_advisories
    where workspace_id = ${workspaceId} and lower(tracking_id) ~ ('^' || lower(${start}) || '[0-9]{1,8}$')`.execute(
    tx,
  )
  return rows[0]?.last ?? 0
}

export async function markPublished(
  tx: Tx,
  { workspaceId, id, trackingId }: { workspaceId: string; id: string; trackingId: string },
): Promise<void> {
  await tx
    .updateTable('securityAdvisories')
    .set({ trackingId, isChanged: false, heldUntil: null, heldReason: null })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

interface NewRevision extends RevisionRow {
  workspaceId: string
  advisoryId: string
  title: string
  document: string
}

export async function insertRevision(tx: Tx, row: NewRevision): Promise<void> {
  await tx.insertInto('securityAdvisoryRevisions').values(row).execute()
}

export async function findRevision(
  db: Db,
  { workspaceId, id, number }: { workspaceId: string; id: string; number: number },
): Promise<{ document: string } | undefined> {
  return db
    .selectFrom('securityAdvisoryRevisions')
    .select('document')
    .where('workspaceId', '=', workspaceId)
    .where('advisoryId', '=', id)
    .where('number', '=', number)
    .executeTakeFirst()
}

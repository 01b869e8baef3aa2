/** Reports from outside, and what happened to them. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { EventDetail, EventKind, ReportEvent } from './standing.ts'

export interface ReportRow {
  id: string
  productLineId: string | null
  productLineName: string | null
  title: string
  text: string
  contact: string | null
  credit: string | null
  receivedAt: Date
}

/** The newest first. */
export async function listReports(
  db: Db,
  workspaceId: string,
  { id, limit }: { id?: string; limit: number },
): Promise<ReportRow[]> {
  const { rows } = await sql<ReportRow>`
    select id, product_line_id, product_line_name, title, ${id === undefined ? sql`''` : sql`text`} as text, contact, credit, received_at
    from disclosure_reports
    where workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`id = ${id}`}
    order by received_at desc, id desc limit ${limit}`.execute(db)
  return rows
}

export async function findReportOfToken(
  db: Db,
  workspaceId: string,
  tokenHash: string,
): Promise<ReportRow | undefined> {
  const { rows } = await sql<ReportRow>`
    select id, product_line_id, product_line_name, title, text, contact, credit, received_at
    from disclosure_reports where workspace_id = ${workspaceId} and token_hash = ${tokenHash}`.execute(
    db,
  )
  return rows[0]
}

interface EventRow extends ReportEvent {
  reportId: string
}

/** Oldest first. Texts are left out where many reports are read. */
export async function listEvents(
  db: Db,
  workspaceId: string,
  { reportIds, hasTexts }: { reportIds: readonly string[]; hasTexts: boolean },
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select report_id, id, kind, recorded_at, by_type, by_email, instant, detail,
      ${hasTexts ? sql`text` : sql`case when kind = 'Credit' then text end`} as text
    from disclosure_report_events
    where workspace_id = ${workspaceId} and report_id = any(${reportIds}::uuid[])
    order by recorded_at, id`.execute(db)
  return rows
}

/** Reports of a workspace are taken one after another, so that none is taken beyond its limits. */
export async function lockIntake(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('disclosure-reports:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function countReports(
  db: Db,
  workspaceId: string,
  since: Date,
): Promise<{ all: number; recent: number }> {
  const { rows } = await sql<{ all: number; recent: number }>`
    select count(*)::int as all, count(*) filter (where received_at > ${since})::int as recent
    from disclosure_reports where workspace_id = ${workspaceId}`.execute(db)
  return rows[0] ?? { all: 0, recent: 0 }
}

export async function insertReport(
  tx: Tx,
  row: ReportRow & { workspaceId: string; tokenHash: string },
): Promise<void> {
  await tx.insertInto('disclosureReports').values(row).execute()
}

/** What happens to a report is recorded one after another. Answers false if there is no such report. */
export async function lockReport(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('disclosureReports')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Answers false if it has none. */
export async function eraseContact(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    update disclosure_reports set contact = null
    where workspace_id = ${workspaceId} and id = ${id} and contact is not null returning id`.execute(
    tx,
  )
  return rows.length > 0
}

interface NewEvent {
  workspaceId: string
  id: string
  reportId: string
  kind: EventKind
  recordedAt: Date
  byType: string | null
  byId: string | null
  byEmail: string | null
  text: string | null
  instant: Date | null
  detail: EventDetail
}

/** Later than all that the report has, also where the clock of the host was set back: the order of events decides what holds. */
export async function insertEvent(tx: Tx, { detail, ...row }: NewEvent): Promise<void> {
  await sql`
    insert into disclosure_report_events (workspace_id, id, report_id, kind, recorded_at, by_type, by_id, by_email, text, instant, detail)
    select ${row.workspaceId}::uuid, ${row.id}::uuid, ${row.reportId}::uuid, ${row.kind}::text,
      greatest(${row.recordedAt}::timestamptz, max(known.recorded_at) + interval '1 millisecond'),
      ${row.byType}::text, ${row.byId}::text, ${row.byEmail}::text, ${row.text}::text, ${row.instant}::timestamptz,
      ${JSON.stringify(detail)}::jsonb
    from disclosure_report_events as known
    where known.workspace_id = ${row.workspaceId} and known.report_id = ${row.reportId}`.execute(tx)
}

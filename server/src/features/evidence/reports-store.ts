/** Which reports from outside and to upstream belong to a product line. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { readRows, type Subject } from './store.ts'

/** Reports from outside that chose the line, or that joined one of these cases, received before the end. Oldest first. */
export async function listReportIds(
  db: Db,
  { workspaceId, productLineId, to }: Subject,
  caseIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select report.id from disclosure_reports as report
    where report.workspace_id = ${workspaceId} and report.received_at < ${to} and (
      report.product_line_id = ${productLineId} or exists (
        select from disclosure_report_events as event
        where event.workspace_id = ${workspaceId} and event.report_id = report.id and event.kind = 'Joined'
          and event.detail ->> 'caseId' = any(${caseIds}::text[])))
    order by report.received_at, report.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Reports from outside that no bundle has: they chose no line, and are in no case. */
export async function countUnassignedReports(
  db: Db,
  { workspaceId, to }: Subject,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from disclosure_reports as report
    where report.workspace_id = ${workspaceId} and report.received_at < ${to} and report.product_line_id is null
      and not exists (
        select from disclosure_report_events as event
        where event.workspace_id = ${workspaceId} and event.report_id = report.id and event.kind = 'Joined')`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export interface UpstreamRow {
  id: string
  vulnerabilityId: string
  firmwareName: string
  versionName: string
  componentName: string
  componentVersion: string | null
  reportedAt: Date
  recipient: string
  text: string
  fix: string | null
  createdAt: Date
  createdByEmail: string | null
  updatedAt: Date
}

/** What was reported, before the end, to whoever makes a component of one of the versions. Oldest first. */
export function readUpstreamReports(
  db: Db,
  { workspaceId, to }: Subject,
  versionIds: readonly string[],
): AsyncGenerator<UpstreamRow> {
  return readRows(
    db,
    sql<UpstreamRow>`
    select id, vulnerability_id, firmware_name, version_name, component_name, component_version, reported_at, recipient, text, fix,
      created_at, created_by_email, updated_at
    from upstream_reports
    where workspace_id = ${workspaceId} and reported_at < ${to} and firmware_version_id = any(${versionIds}::uuid[])
    order by reported_at, id`,
  )
}

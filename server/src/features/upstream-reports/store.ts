import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface UpstreamFields {
  reportedAt: Date
  recipient: string
  text: string
  fix: string | null
}

export interface NamedFinding {
  vulnerabilityId: string
  firmwareVersionId: string
  packageId: string
  firmwareName: string
  versionName: string
  componentName: string
  componentVersion: string | null
}

export interface UpstreamRow extends UpstreamFields, NamedFinding {
  id: string
  createdAt: Date
  createdByEmail: string | null
  updatedAt: Date
}

/** The newest first: all, one, or those of a vulnerability under any of its ids. */
export async function listUpstreamReports(
  db: Db,
  workspaceId: string,
  { id, vulnerabilityId, limit }: { id?: string; vulnerabilityId?: string; limit: number },
): Promise<UpstreamRow[]> {
  const { rows } = await sql<UpstreamRow>`
    select report.id, coalesce(alias.vulnerability_id, report.vulnerability_id) as vulnerability_id, report.firmware_version_id,
      report.package_id, report.firmware_name, report.version_name, report.component_name, report.component_version,
      report.reported_at, report.recipient, report.text, report.fix, report.created_at, report.created_by_email, report.updated_at
    from upstream_reports as report
    left join vulnerability_aliases as alias on alias.alias = report.vulnerability_id
    where report.workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`report.id = ${id}`}
      and ${
        vulnerabilityId === undefined
          ? sql`true`
          : sql`coalesce(alias.vulnerability_id, report.vulnerability_id) in (${vulnerabilityId}, (
            select vulnerability_id from vulnerability_aliases where alias = ${vulnerabilityId}))`
      }
    order by report.reported_at desc, report.id desc limit ${limit}`.execute(db)
  return rows
}

export async function lockUpstreamReports(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('upstream-reports:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function countUpstreamReports(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from upstream_reports where workspace_id = ${workspaceId}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** undefined: the version has no such finding now. */
export async function findNamedFinding(
  db: Db,
  workspaceId: string,
  key: Pick<NamedFinding, 'firmwareVersionId' | 'packageId' | 'vulnerabilityId'>,
): Promise<NamedFinding | undefined> {
  const { rows } = await sql<NamedFinding>`
    select match.vulnerability_id, fact.firmware_version_id, fact.package_id, firmware.name as firmware_name,
      version.name as version_name, fact.component_name, fact.component_version
    from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id and match.vulnerability_id = ${key.vulnerabilityId}
      and match.until is null
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = fact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${key.firmwareVersionId}
      and fact.package_id = ${key.packageId} and fact.until is null
    limit 1`.execute(db)
  return rows[0]
}

export async function insertUpstreamReport(
  tx: Tx,
  row: UpstreamRow & { workspaceId: string },
): Promise<void> {
  await tx.insertInto('upstreamReports').values(row).execute()
}

interface OneRow {
  workspaceId: string
  id: string
}

export async function updateUpstreamReport(
  tx: Tx,
  { workspaceId, id }: OneRow,
  columns: UpstreamFields & { updatedAt: Date },
): Promise<void> {
  await tx
    .updateTable('upstreamReports')
    .set(columns)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteUpstreamReport(tx: Tx, { workspaceId, id }: OneRow): Promise<void> {
  await tx
    .deleteFrom('upstreamReports')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** The findings of a firmware version, or of a vulnerability, as they were known and decided at an instant. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { type FindingsAt, selectFindingsAt } from '../../vulnerabilities/index.ts'
import {
  type CountedFindings,
  type ReportedFinding,
  selectCounts,
  selectFindings,
} from '../version/store.ts'

export async function countFindings(db: Db, past: FindingsAt): Promise<CountedFindings[]> {
  return (await selectCounts(selectFindingsAt(past)).execute(db)).rows
}

/** The past has no EPSS, as only current scores are kept. */
export async function listFindings(
  db: Db,
  past: FindingsAt,
  page: { isActive: boolean; limit: number },
): Promise<ReportedFinding[]> {
  const { workspaceId, at } = past
  const selected = {
    workspaceId,
    findings: selectFindingsAt(past),
    isExploited: sql`(exists (select from kev_entries where cve_id = match.vulnerability_id and date_added <= ${at})
      or exists (select from eu_exploited_entries where cve_id = match.vulnerability_id and date_added <= ${at}))`,
    isListed: sql`date_added <= ${at}`,
    firmwareVersion: sql`(
      select firmware.name || ' ' || version.name from firmware_versions as version
      join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
      where version.workspace_id = ${workspaceId} and version.id = worst.firmware_version_id)`,
  }
  return (await selectFindings(selected, page).execute(db)).rows
}

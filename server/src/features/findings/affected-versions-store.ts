/** From vulnerabilities to what devices run. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { isActiveSql } from './counters-store.ts'
import { assessment, ignored } from './finding-filter-store.ts'

/** Versions in which one of the vulnerabilities, or of those these are aliases of, is an active finding. */
export async function listVersionsWithActiveFinding(
  { db }: { db: Db },
  { workspaceId, cveIds }: { workspaceId: string; cveIds: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct fact.firmware_version_id as id
    from vulnerability_aliases as alias
    join package_matches as match on match.vulnerability_id = alias.vulnerability_id and match.until is null
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.package_id = match.package_id and fact.until is null
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where alias.alias = any(${cveIds}::text[])
      and ${isActiveSql({ assessment, ignored, confidence: sql`match.confidence` })}`.execute(db)
  return rows.map(({ id }) => id)
}

import { sql } from 'kysely'
import type { Severity } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { isActiveSql } from '../../findings/index.ts'

interface GateFinding {
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
  name: string
  severity: Severity
  cvssScore: number | null
  isKnownExploit: boolean
  componentName: string
  componentVersion: string | null
}

interface GateFindings {
  critical: number
  knownExploited: number
  findings: GateFinding[]
}

const state = {
  assessment: sql`coalesce(decision.assessment, 'NotAssessed')`,
  ignored: sql`coalesce(decision.ignored, false)`,
  confidence: sql`match.confidence`,
}

/** Counts the active findings that are critical or known to be exploited, and lists the worst of them. */
export async function findGateFindings(
  db: Db,
  { workspaceId, firmwareVersionIds }: { workspaceId: string; firmwareVersionIds: string[] },
  limit: number,
): Promise<GateFindings> {
  const { rows } = await sql<GateFinding & { critical: number; knownExploited: number }>`
    select fact.firmware_version_id, fact.package_id, match.vulnerability_id, vulnerability.name, match.severity,
      match.score as cvss_score, vulnerability.is_known_exploit, fact.component_name, fact.component_version,
      (count(*) filter (where match.severity = 'Critical') over ())::int as critical,
      (count(*) filter (where vulnerability.is_known_exploit) over ())::int as known_exploited
    from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id and match.until is null
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = any(${firmwareVersionIds}::uuid[])
      and fact.until is null and (match.severity = 'Critical' or vulnerability.is_known_exploit)
      and ${isActiveSql(state)}
    order by vulnerability.is_known_exploit desc, match.severity = 'Critical' desc, match.score desc nulls last,
      match.vulnerability_id, fact.package_id, fact.firmware_version_id
    limit ${limit}`.execute(db)
  const { critical = 0, knownExploited = 0 } = rows[0] ?? {}
  return { critical, knownExploited, findings: rows }
}

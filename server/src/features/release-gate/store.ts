import { sql } from 'kysely'
import { isActiveSql, isUndecidedSql } from '../../formats/assessments.ts'
import type { Severity } from '../../formats/advisories/model.ts'
import type { Db } from '../../platform/db/connect.ts'

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
  undecidedCritical: number
  knownExploited: number
  findings: GateFinding[]
}

const isUndecided = sql.raw(isUndecidedSql("coalesce(decision.assessment, 'NotAssessed')"))

export interface UnknownCounts {
  componentCount: number
  notJudgedCount: number
  unknownSeverityCount: number
}

/**
 * As marks count them: active findings of unknown severity, components of which nothing can be told, and all components that are
 * in the firmware.
 */
export async function countUnknown(
  db: Db,
  { workspaceId, firmwareVersionIds }: { workspaceId: string; firmwareVersionIds: string[] },
): Promise<UnknownCounts> {
  const { rows } = await sql<UnknownCounts>`
    select coalesce(sum(judged_components + silent_components), 0)::int as component_count,
      coalesce(sum(silent_components), 0)::int as not_judged_count,
      coalesce(sum(unknown), 0)::int as unknown_severity_count
    from firmware_version_counters
    where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])`.execute(
    db,
  )
  return rows[0] ?? { componentCount: 0, notJudgedCount: 0, unknownSeverityCount: 0 }
}

/** Counts the active findings that are critical or known to be exploited, as marks count them, and lists the worst of them. */
export async function findGateFindings(
  db: Db,
  { workspaceId, firmwareVersionIds }: { workspaceId: string; firmwareVersionIds: string[] },
  limit: number,
): Promise<GateFindings> {
  const { rows } = await sql<GateFinding & Omit<GateFindings, 'findings'>>`
    select fact.firmware_version_id, fact.package_id, match.vulnerability_id, vulnerability.name, match.severity,
      match.score as cvss_score, vulnerability.is_known_exploit, fact.component_name, fact.component_version,
      (count(*) filter (where match.severity = 'Critical') over ())::int as critical,
      (count(*) filter (where match.severity = 'Critical' and ${isUndecided}) over ())::int
        as undecided_critical,
      (count(*) filter (where match.is_exploited) over ())::int as known_exploited
    from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id and match.until is null
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = any(${firmwareVersionIds}::uuid[])
      and fact.until is null and (match.severity = 'Critical' or match.is_exploited)
      and ${sql.raw(isActiveSql())}
    order by match.is_exploited desc, match.severity = 'Critical' desc, match.score desc nulls last,
      match.vulnerability_id, fact.package_id, fact.firmware_version_id
    limit ${limit}`.execute(db)
  const { critical = 0, undecidedCritical = 0, knownExploited = 0 } = rows[0] ?? {}
  return { critical, undecidedCritical, knownExploited, findings: rows }
}

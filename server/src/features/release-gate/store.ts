import { sql } from 'kysely'
import { isActiveSql, isUndecidedSql } from '../../formats/assessments.ts'
import type { Acceptance } from '../../formats/acceptances.ts'
import type { Severity } from '../../formats/advisories/model.ts'
import type { GateSupportRule, ReleaseGate } from '../../formats/gate-rules.ts'
import type { Db } from '../../platform/db/connect.ts'

export interface GateFinding {
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

interface GateRow extends GateFinding {
  isCounted: boolean
  acceptance: Acceptance | null
}

interface GateFindings {
  critical: number
  undecidedCritical: number
  knownExploited: number
  /** Ignored findings that would count otherwise. */
  acceptedCount: number
  findings: GateFinding[]
  accepted: (GateFinding & { acceptance: Acceptance | null })[]
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

interface LineRules {
  firmwareVersion: { id: string; name: string }
  line: { id: string; name: string } | null
  releaseGate: ReleaseGate | null
  gateSupport: GateSupportRule | null
}

/** What release lines say of their versions where they differ from the workspace. */
export async function listLineRules(
  db: Db,
  { workspaceId, firmwareVersionIds }: { workspaceId: string; firmwareVersionIds: string[] },
): Promise<LineRules[]> {
  const { rows } = await sql<LineRules>`
    select json_build_object('id', version.id, 'name', firmware.name || ' ' || version.name) as firmware_version,
      case when line.id is not null then json_build_object('id', line.id, 'name', line.name) end as line,
      line.release_gate, line.gate_support
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join firmware_lines as line on line.workspace_id = ${workspaceId} and line.id = version.line_id
    where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])
    order by firmware.name, version.created_at, version.id`.execute(db)
  return rows
}

export interface GateScope {
  workspaceId: string
  firmwareVersionIds: string[]
  /** Exploited findings count although they are ignored. */
  forbidsExploited: boolean
}

/** Of `match` and its `decision`: whether the gate counts the finding, or somebody accepted it. */
export const selectCounted = ({ forbidsExploited }: Pick<GateScope, 'forbidsExploited'>) =>
  sql`(${sql.raw(isActiveSql())} or (${forbidsExploited}::boolean and match.is_exploited
    and ${sql.raw(isActiveSql({ ignored: 'false' }))}))`

/** `fact`, `match`, `vulnerability` and `decision` of findings that are active if nobody accepted them. */
export const selectOpenFindings = ({
  workspaceId,
  firmwareVersionIds,
}: Omit<GateScope, 'forbidsExploited'>) => sql`
  firmware_version_packages as fact
  join package_matches as match on match.package_id = fact.package_id and match.until is null
  join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
  left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
    and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
    and decision.vulnerability_id = match.vulnerability_id
  where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = any(${firmwareVersionIds}::uuid[])
    and fact.until is null and ${sql.raw(isActiveSql({ ignored: 'false' }))}`

/**
 * Counts the active findings that are critical or known to be exploited, as marks count them, and lists the worst of them. Those that
 * would count if nobody had accepted them are listed apart.
 */
export async function findGateFindings(
  db: Db,
  scope: GateScope,
  limit: number,
): Promise<GateFindings> {
  const { rows } = await sql<GateRow & Omit<GateFindings, 'findings' | 'accepted'>>`
    with found as (
      select fact.firmware_version_id, fact.package_id, match.vulnerability_id, vulnerability.name, match.severity,
        match.score as cvss_score, vulnerability.is_known_exploit, fact.component_name, fact.component_version,
        match.is_exploited, ${isUndecided} as is_undecided, ${selectCounted(scope)} as is_counted, decision.acceptance
      from ${selectOpenFindings(scope)} and (match.severity = 'Critical' or match.is_exploited)
    ), ranked as (
      select found.*, row_number() over (partition by is_counted order by is_exploited desc, severity = 'Critical' desc,
          cvss_score desc nulls last, vulnerability_id, package_id, firmware_version_id) as place,
        (count(*) filter (where is_counted and severity = 'Critical') over ())::int as critical,
        (count(*) filter (where is_counted and severity = 'Critical' and is_undecided) over ())::int as undecided_critical,
        (count(*) filter (where is_counted and is_exploited) over ())::int as known_exploited,
        (count(*) filter (where not is_counted) over ())::int as accepted_count
      from found
    )
    select firmware_version_id, package_id, vulnerability_id, name, severity, cvss_score, is_known_exploit, component_name,
      component_version, is_counted, acceptance, critical, undecided_critical, known_exploited, accepted_count
    from ranked where place <= ${limit} order by is_counted desc, place`.execute(db)
  const {
    critical = 0,
    undecidedCritical = 0,
    knownExploited = 0,
    acceptedCount = 0,
  } = rows[0] ?? {}
  return {
    critical,
    undecidedCritical,
    knownExploited,
    acceptedCount,
    findings: rows.filter((row) => row.isCounted),
    accepted: rows.filter((row) => !row.isCounted),
  }
}

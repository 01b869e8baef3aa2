/** The findings of a firmware version for its report: all counted, the worst ones in rows. Look-ups instead of joins: see the list of findings. */
import { type RawBuilder, sql } from 'kysely'
import { type Assessment, type DecisionSource, isActiveSql } from '../../../formats/assessments.ts'
import type { ExploitedSource, Severity } from '../../../formats/advisories/model.ts'
import { severityRankSql } from '../../../formats/advisories/severity.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { Confidence } from '../../matching/index.ts'

export interface Version {
  workspaceId: string
  firmwareVersionId: string
}

export interface CountedFindings {
  severity: Severity
  assessment: Assessment
  ignored: boolean
  isActive: boolean
  count: number
}

const active = sql.raw(isActiveSql())

/** The findings that hold now: `fact`, `match`, `decision` and `epss`. */
const selectHeld = ({ workspaceId, firmwareVersionId }: Version) => sql`
  firmware_version_packages as fact
  cross join lateral (
    select match.* from package_matches as match
    where match.package_id = fact.package_id and match.until is null offset 0
  ) as match
  left join lateral (
    select decision.* from finding_decisions as decision
    where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
      and decision.package_id = match.package_id and decision.vulnerability_id = match.vulnerability_id
    limit 1
  ) as decision on true
  left join lateral (
    select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
  ) as epss on true
  where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId} and fact.until is null`

/** `findings`: `match` and `decision` of those that are counted. */
export const selectCounts = (findings: RawBuilder<unknown>) => sql<CountedFindings>`
    select match.severity, coalesce(decision.assessment, 'NotAssessed') as assessment,
      coalesce(decision.ignored, false) as ignored, ${active} as is_active, count(*)::int as count
    from ${findings}
    group by 1, 2, 3, 4`

export async function countFindings(db: Db, version: Version): Promise<CountedFindings[]> {
  return (await selectCounts(selectHeld(version)).execute(db)).rows
}

export interface ReportedFinding {
  vulnerabilityId: string
  name: string
  severity: Severity
  cvssScore: number | null
  epssScore: number | null
  exploitedSources: ExploitedSource[]
  componentName: string
  componentVersion: string | null
  confidence: Confidence
  isActive: boolean
  detectedAt: Date
  assessment: Assessment
  ignored: boolean
  recheckReason: string | null
  /** null: nobody has decided. */
  source: DecisionSource | null
  decidedByEmail: string | null
  decidedAt: Date | null
  justification: string | null
  responses: string[]
  detail: string | null
  /** Where the report is of several. */
  firmwareVersion: string | null
}

interface SelectedFindings {
  workspaceId: string
  /** `fact`, `match`, `decision` and `epss` of those that are listed. */
  findings: RawBuilder<unknown>
  /** Of `match`, and of an entry of a list of exploited ones. */
  isExploited: RawBuilder<unknown>
  isListed: RawBuilder<unknown>
  /** Of `worst`. null: the report is of one version. */
  firmwareVersion: RawBuilder<unknown>
}

/** The active ones or the others, the worst first. */
export const selectFindings = (
  { workspaceId, findings, isExploited, isListed, firmwareVersion }: SelectedFindings,
  { isActive, limit }: { isActive: boolean; limit: number },
) => sql<ReportedFinding>`
    with worst as materialized (
      select fact.firmware_version_id, fact.package_id, fact.component_name, fact.component_version,
        match.vulnerability_id, match.severity, match.score as cvss_score, match.confidence, epss.score as epss_score,
        ${active} as is_active, coalesce(decision.assessment, 'NotAssessed') as assessment,
        coalesce(decision.ignored, false) as ignored, decision.recheck_reason, decision.source,
        decision.decided_by_email, decision.updated_at as decided_at, decision.justification,
        coalesce(decision.responses, '{}') as responses, decision.detail,
        row_number() over (order by ${isExploited} desc, ${sql.raw(severityRankSql('match.severity'))} desc,
          epss.score desc nulls last, match.score desc nulls last, match.vulnerability_id desc,
          fact.firmware_version_id, fact.package_id) as place
      from ${findings} and ${active} = ${isActive}
      order by place limit ${limit}
    )
    select worst.vulnerability_id, worst.component_name, worst.component_version, worst.severity, worst.cvss_score,
      worst.confidence, worst.epss_score, worst.is_active, worst.assessment, worst.ignored, worst.recheck_reason,
      worst.source, worst.decided_by_email, worst.decided_at, worst.justification, worst.responses, worst.detail,
      vulnerability.name, ${firmwareVersion} as firmware_version,
      (select coalesce(json_agg(json_build_object('source', source, 'dateAdded', date_added) order by date_added, source), '[]')
        from (
          select 'cisa' as source, date_added from kev_entries where cve_id = worst.vulnerability_id
          union all select 'enisa', date_added from eu_exploited_entries where cve_id = worst.vulnerability_id
        ) as listed where ${isListed}) as exploited_sources,
      (select min(greatest(had.since, seen.since))
        from firmware_version_packages as had
        join package_matches as seen on seen.package_id = had.package_id
        where had.workspace_id = ${workspaceId} and had.firmware_version_id = worst.firmware_version_id
          and had.package_id = worst.package_id and seen.vulnerability_id = worst.vulnerability_id
          and greatest(had.since, seen.since)
            < least(coalesce(had.until, 'infinity'), coalesce(seen.until, 'infinity'))) as detected_at
    from worst
    join vulnerabilities as vulnerability on vulnerability.id = worst.vulnerability_id
    order by worst.place`

export async function listFindings(
  db: Db,
  version: Version,
  page: { isActive: boolean; limit: number },
): Promise<ReportedFinding[]> {
  const selected = {
    workspaceId: version.workspaceId,
    findings: selectHeld(version),
    isExploited: sql`match.is_exploited`,
    isListed: sql`true`,
    firmwareVersion: sql`null::text`,
  }
  return (await selectFindings(selected, page).execute(db)).rows
}

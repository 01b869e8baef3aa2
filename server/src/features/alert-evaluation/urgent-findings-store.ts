/** The findings of a workspace that are as urgent by SSVC as a rule asks for. */
import { sql } from 'kysely'
import { isActiveSql } from '../../formats/assessments.ts'
import type { Db } from '../../platform/db/connect.ts'
import {
  classifyWanted,
  isOfClass,
  selectOutcome,
  selectRatedClass,
  type SsvcScope,
} from '../ssvc/index.ts'

export interface UrgentFinding {
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
  componentName: string
  componentVersion: string | null
  firmwareName: string
  versionName: string
  score: number | null
  isExploited: boolean
  ratedClass: number
  contexts: string
  /** How many there are, beyond the limit too. */
  totalCount: number
}

interface UrgentFilter {
  ssvc: SsvcScope
  /** The least urgent outcome. */
  from: number
  firmwareIds: readonly string[]
  onlyRunning: boolean
  /** Only those that nobody has assessed. */
  onlyUndecided: boolean
  limit: number
}

/** The most urgent ones first. It begins with vulnerabilities that may be as urgent at all. */
export async function listUrgentFindings(
  db: Db,
  workspaceId: string,
  { ssvc, from, firmwareIds, onlyRunning, onlyUndecided, limit }: UrgentFilter,
): Promise<UrgentFinding[]> {
  const ratedClass = selectRatedClass('rated')
  const outcome = selectOutcome(ssvc, ratedClass, sql`numbered.ssvc_contexts`)
  const { rows } = await sql<UrgentFinding>`
    with urgent as (
      select fact.firmware_version_id, fact.package_id, match.vulnerability_id, fact.component_name, fact.component_version,
        match.score::numeric::float8 as score, rated.is_exploited, ${ratedClass} as rated_class, numbered.ssvc_contexts,
        ${outcome} as outcome
      from workspace_component_vulnerabilities as rated
      join workspace_matches as kept on kept.workspace_id = ${workspaceId} and kept.component_name = rated.component_name
        and kept.vulnerability_id = rated.vulnerability_id
      join package_matches as match on match.package_id = kept.package_id
        and match.vulnerability_id = kept.vulnerability_id and match.until is null
      join firmware_version_packages as fact on fact.workspace_id = ${workspaceId} and fact.package_id = kept.package_id
        and fact.until is null
      join workspace_versions as numbered on numbered.workspace_id = ${workspaceId}
        and numbered.firmware_version_id = fact.firmware_version_id
      left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
        and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
      where rated.workspace_id = ${workspaceId} and ${isOfClass('rated', classifyWanted(ssvc).some)}
        and ${sql.raw(isActiveSql())}
        and (not ${onlyUndecided}::boolean or coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed')
        and (not ${onlyRunning}::boolean or fact.firmware_version_id in (
          select unnest(counts.firmware_version_ids) from firmware_set_device_counts as counts
          where counts.workspace_id = ${workspaceId} and counts.devices > 0))
    )
    select urgent.firmware_version_id, urgent.package_id, urgent.vulnerability_id, urgent.component_name,
      urgent.component_version, firmware.name as firmware_name, version.name as version_name, urgent.score,
      urgent.is_exploited, urgent.rated_class, urgent.ssvc_contexts::text as contexts,
      (count(*) over ())::int as total_count
    from urgent
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = urgent.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where urgent.outcome >= ${from}
      and (cardinality(${[...firmwareIds]}::text[]) = 0 or firmware.id::text = any(${[...firmwareIds]}::text[]))
    order by urgent.outcome desc, urgent.is_exploited desc, urgent.score desc nulls last, urgent.vulnerability_id,
      urgent.package_id, urgent.firmware_version_id
    limit ${limit}`.execute(db)
  return rows
}

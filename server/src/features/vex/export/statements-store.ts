/** What decisions say of firmware versions to those outside, as documents say it: reasons of accepted risks and comments stay in the house. */
import { sql } from 'kysely'
import type {
  VexAssessment,
  VexJustification,
  VexResponse,
} from '../../../formats/vex/vocabulary.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { VersionScope } from '../targets/store.ts'
import { IS_ACCEPTED, MEANS } from './store.ts'

export interface CountedStatements {
  firmwareVersionId: string
  /** Vulnerabilities, each once for each thing that is said of it. */
  affected: number
  underInvestigation: number
  notAffected: number
  fixed: number
  /** Nobody has said anything of them yet. */
  notAssessed: number
}

const SAID = sql`(case when ${MEANS} then 'Exploitable' else coalesce(decision.assessment, 'NotAssessed') end)`

export async function countStatements(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<CountedStatements[]> {
  const count = (...assessments: string[]) =>
    sql`(count(distinct vulnerability_id) filter (where said = any(${assessments}::text[])))::int`
  const { rows } = await sql<CountedStatements>`
    with found as (
      select fact.firmware_version_id, match.vulnerability_id, ${SAID} as said
      from firmware_version_packages as fact
      join package_matches as match on match.package_id = fact.package_id and match.until is null
      left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
        and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = any(${firmwareVersionIds}::uuid[])
        and fact.until is null
    )
    select firmware_version_id, ${count('Exploitable')} as affected, ${count('InTriage')} as under_investigation,
      ${count('NotAffected', 'FalsePositive')} as not_affected, ${count('Resolved')} as fixed,
      ${count('NotAssessed')} as not_assessed
    from found group by firmware_version_id`.execute(db)
  return rows
}

export interface ToldStatement {
  vulnerability: string
  title: string | null
  component: string
  assessment: VexAssessment
  justification: VexJustification | null
  responses: VexResponse[]
  detail: string | null
  statedAt: Date
  /** Where the next page begins. */
  position: [number, string, string]
}

/** What affects the version first, then what is being looked into, then the rest; by vulnerability. */
export async function listStatements(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
  { after, limit }: { after: ToldStatement['position'] | undefined; limit: number },
): Promise<ToldStatement[]> {
  const isAfter = after
    ? sql`(told.place, told.vulnerability, told.package_id::text) > (${after[0]}::int, ${after[1]}::text, ${after[2]}::text)`
    : sql`true`
  const { rows } = await sql<ToldStatement>`
    select told.vulnerability, told.title, told.component, told.assessment, told.justification, told.responses, told.detail,
      told.stated_at, json_build_array(told.place, told.vulnerability, told.package_id::text) as position
    from (
      select decision.package_id, decision.vulnerability_id as vulnerability, vulnerability.name as title, ${SAID} as assessment,
        concat_ws(' ', fact.component_name, fact.component_version) as component, decision.justification, decision.detail,
        case when ${MEANS} then array['will_not_fix'] else decision.responses end as responses,
        case ${SAID} when 'Exploitable' then 0 when 'InTriage' then 1 when 'Resolved' then 2 else 3 end as place,
        case when ${MEANS} then (decision.acceptance ->> 'acceptedAt')::timestamptz
          else coalesce(statement.stated_at, decision.assessed_at, decision.updated_at) end as stated_at
      from finding_decisions as decision
      join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
        and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
        and fact.until is null
      join package_matches as match on match.package_id = decision.package_id
        and match.vulnerability_id = decision.vulnerability_id and match.until is null
      join vulnerabilities as vulnerability on vulnerability.id = decision.vulnerability_id
      left join vex_statements as statement on statement.workspace_id = ${workspaceId}
        and statement.id = decision.statement_id and decision.source = 'Vex'
      where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
        and (decision.assessment <> 'NotAssessed' or ${IS_ACCEPTED})
    ) as told
    where ${isAfter}
    order by told.place, told.vulnerability, told.package_id::text limit ${limit}`.execute(db)
  return rows
}

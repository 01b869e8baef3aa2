/** What statements say about findings, and where that is to become the decision. */
import { type RawBuilder, sql } from 'kysely'
import type { VexAssessment } from '../../formats/vex/vocabulary.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { VersionScope } from './inventory-store.ts'

/** Findings of a version, or of matches, whatever version holds their packages. */
export type FindingScope =
  VersionScope | { packageIds: readonly string[]; vulnerabilityIds: readonly string[] }

/** `held`: findings of the scope; `hit`: what statements of their versions say of their vulnerabilities, by any name. */
function hits(scope: FindingScope): RawBuilder<unknown> {
  if ('workspaceId' in scope) {
    const { workspaceId, firmwareVersionId } = scope
    return sql`
      held as materialized (
        select fact.workspace_id, fact.firmware_version_id, fact.package_id, match.vulnerability_id,
          fact.component_name, fact.component_version
        from firmware_version_packages as fact
        join package_matches as match on match.package_id = fact.package_id and match.until is null
        where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
          and fact.until is null
      ), wanted as materialized (
        select distinct alias.vulnerability_id, alias.alias
        from held join vulnerability_aliases as alias using (vulnerability_id)
      ), hit as materialized (
        select target.*, wanted.vulnerability_id
        from vex_statement_targets as target join wanted on wanted.alias = target.vulnerability
        where target.workspace_id = ${workspaceId} and target.firmware_version_id = ${firmwareVersionId}
      )`
  }
  return sql`
    wanted as materialized (
      select pair.package_id, pair.vulnerability_id, alias.alias
      from unnest(${scope.packageIds}::uuid[], ${scope.vulnerabilityIds}::text[])
        as pair (package_id, vulnerability_id)
      join vulnerability_aliases as alias on alias.vulnerability_id = pair.vulnerability_id
    ), hit as materialized (
      select target.*, wanted.vulnerability_id, wanted.package_id as begun_package_id
      from wanted join vex_statement_targets as target on target.vulnerability = wanted.alias
    ), held as materialized (
      select distinct fact.workspace_id, fact.firmware_version_id, fact.package_id, hit.vulnerability_id,
        fact.component_name, fact.component_version
      from hit
      join firmware_version_packages as fact on fact.workspace_id = hit.workspace_id
        and fact.firmware_version_id = hit.firmware_version_id and fact.package_id = hit.begun_package_id
        and fact.until is null
      join package_matches as match on match.package_id = fact.package_id
        and match.vulnerability_id = hit.vulnerability_id and match.until is null
    )`
}

/** `targeted`: findings that hold, with the statements about them; `said`: the newest of each. */
function said(scope: FindingScope): RawBuilder<unknown> {
  return sql`
    ${hits(scope)}, targeted as materialized (
      select distinct held.*, hit.statement_id
      from hit
      join held on held.workspace_id = hit.workspace_id and held.firmware_version_id = hit.firmware_version_id
        and held.vulnerability_id = hit.vulnerability_id
        and case
          when hit.package_id is not null then held.package_id = hit.package_id
          when hit.sbom_id is not null then exists (
            select from sbom_components as component
            where component.workspace_id = hit.workspace_id and component.sbom_id = hit.sbom_id
              and component.package_id = held.package_id)
          else true end
    ), said as materialized (
      select distinct on (targeted.workspace_id, targeted.firmware_version_id, package_id, vulnerability_id)
        targeted.*, statement.pointer, statement.assessment, statement.justification, statement.detail,
        statement.responses, statement.stated_at, statement.document_id
      from targeted
      join vex_statements as statement on statement.workspace_id = targeted.workspace_id
        and statement.id = targeted.statement_id
      order by targeted.workspace_id, targeted.firmware_version_id, package_id, vulnerability_id,
        statement.stated_at desc, statement.received_at desc, statement.id desc
    )`
}

export interface SaidRow {
  workspaceId: string
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
  componentName: string
  componentVersion: string | null
  statementId: string
  pointer: string
  documentId: string
  assessment: VexAssessment
  justification: string | null
  detail: string | null
  responses: string[]
  statedAt: Date
  author: string | null
  /** What is decided now; null where nothing is. */
  oldAssessment: string | null
  oldJustification: string | null
  oldDetail: string | null
  oldResponses: string[] | null
  oldSource: string | null
  oldByEmail: string | null
  oldAssessedAt: Date | null
  /** `Conflict`: a person decided otherwise since the statement was made. */
  outcome: 'Change' | 'Conflict' | 'Same'
}

/** Also what was carried over from an earlier version, or taken up from another id, is a person's where one decided it. */
const isByPerson = sql`(decision.source in ('User', 'ApiKey')
  or (decision.source <> 'Vex' and decision.decided_by_email is not null))`

/** A person who decided after the statement was made knows better than it, whenever it arrives. */
export async function listSaid(db: Db, scope: FindingScope): Promise<SaidRow[]> {
  const { rows } = await sql<SaidRow>`
    with ${said(scope)}
    select said.*, document.author, decision.assessment as old_assessment,
      decision.justification as old_justification, decision.detail as old_detail,
      decision.responses as old_responses, decision.source as old_source, decision.decided_by_email as old_by_email,
      decision.assessed_at as old_assessed_at,
      case
        when decision.assessed_at is null then 'Change'
        when (decision.assessment, decision.justification, decision.detail, decision.responses)
          is not distinct from (said.assessment, said.justification, said.detail, said.responses)
          and (decision.statement_id = said.statement_id or ${isByPerson}) then 'Same'
        when ${isByPerson} and decision.assessed_at >= said.stated_at then
          case when decision.assessment = said.assessment then 'Same' else 'Conflict' end
        else 'Change'
      end as outcome
    from said
    join vex_documents as document
      on document.workspace_id = said.workspace_id and document.id = said.document_id
    left join finding_decisions as decision on decision.workspace_id = said.workspace_id
      and decision.firmware_version_id = said.firmware_version_id and decision.package_id = said.package_id
      and decision.vulnerability_id = said.vulnerability_id
    order by said.workspace_id, said.firmware_version_id, said.package_id, said.vulnerability_id`.execute(
    db,
  )
  return rows
}

/** Statements about findings that are decided otherwise, by a person, a newer statement or not at all. */
export async function listContested(db: Db, scope: VersionScope): Promise<string[]> {
  const { rows } = await sql<{ statementId: string }>`
    with ${said(scope)}
    select distinct targeted.statement_id
    from targeted
    left join finding_decisions as decision on decision.workspace_id = targeted.workspace_id
      and decision.firmware_version_id = targeted.firmware_version_id
      and decision.package_id = targeted.package_id and decision.vulnerability_id = targeted.vulnerability_id
    where decision.statement_id is distinct from targeted.statement_id`.execute(db)
  return rows.map(({ statementId }) => statementId)
}

/** Which statements apply to findings, and where a statement changes the decision about a finding. */
import { type RawBuilder, sql } from 'kysely'
import { decideOriginSql, isOfSbomSql, type StatedIn } from '../../../formats/assessments.ts'
import type { VexAssessment } from '../../../formats/vex/vocabulary.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { VersionScope } from '../targets/store.ts'

/** All findings of a firmware version, or those of these matches in all firmware versions of the workspace. */
export type FindingScope =
  | VersionScope
  | { workspaceId: string; packageIds: readonly string[]; vulnerabilityIds: readonly string[] }

/** Common table expressions, with the names of those that the rest of a statement may use. */
interface StatementCtes {
  ctes: RawBuilder<unknown>
  /** A row per finding and statement about it: the key of the finding, its component, `statement_id`. */
  targeted: RawBuilder<unknown>
  /** A row per finding: the columns of `targeted` and those of the statement that outranks the others about it. */
  newest: RawBuilder<unknown>
}

/** `held` are the findings of the scope, `hit` the targets of statements about their vulnerabilities, by any alias. */
function findingsAndTargets(scope: FindingScope): RawBuilder<unknown> {
  const { workspaceId } = scope
  if ('firmwareVersionId' in scope) {
    const { firmwareVersionId } = scope
    return sql`
      held as materialized (
        select fact.firmware_version_id, fact.package_id, match.vulnerability_id,
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
      from wanted
      join vex_statement_targets as target
        on target.workspace_id = ${workspaceId} and target.vulnerability = wanted.alias
    ), held as materialized (
      select distinct fact.firmware_version_id, fact.package_id, hit.vulnerability_id,
        fact.component_name, fact.component_version
      from hit
      join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
        and fact.firmware_version_id = hit.firmware_version_id and fact.package_id = hit.begun_package_id
        and fact.until is null
      join package_matches as match on match.package_id = fact.package_id
        and match.vulnerability_id = hit.vulnerability_id and match.until is null
    )`
}

/**
 * The workspace lets the author's documents decide over people. What an SBOM says does not count as such a document: whoever
 * may upload SBOMs may not decide about findings. Nor does what a supplier's feed says, as its server can write any author.
 */
const isDeciding = (
  workspaceId: string,
) => sql`(document.sbom_id is null and document.supplier_document_id is null and btrim(document.author) = any(
  (select deciding_vex_authors from workspaces where id = ${workspaceId})::text[])) is true`

/** `StatedIn` in SQL. */
export const statedIn = sql`jsonb_build_object('vexDocumentId', document.id, 'format', document.format,
  'documentId', document.document_id, 'author', document.author, 'statedAt', statement.stated_at,
  'importedByEmail', document.received_by_email, 'sbomFileName', sbom.file_name)`

export function selectStatements(scope: FindingScope): StatementCtes {
  const { workspaceId } = scope
  const ctes = sql`
    ${findingsAndTargets(scope)}, targeted as materialized (
      select distinct held.*, hit.statement_id
      from hit
      join held on held.firmware_version_id = hit.firmware_version_id
        and held.vulnerability_id = hit.vulnerability_id
        and case
          when hit.package_id is not null then held.package_id = hit.package_id
          when hit.sbom_id is not null then exists (
            select from sbom_components as component
            where component.workspace_id = ${workspaceId} and component.sbom_id = hit.sbom_id
              and component.package_id = held.package_id)
          else true end
    ), newest as materialized (
      select distinct on (targeted.firmware_version_id, package_id, vulnerability_id)
        targeted.*, statement.pointer, statement.assessment, statement.justification, statement.detail,
        statement.responses, statement.stated_at, statement.document_id, statement.origin, document.author,
        ${isDeciding(workspaceId)} as is_deciding, ${statedIn} as stated_in,
        array_agg(targeted.statement_id) over (
          partition by targeted.firmware_version_id, package_id, vulnerability_id) as statement_ids
      from targeted
      join vex_statements as statement on statement.workspace_id = ${workspaceId}
        and statement.id = targeted.statement_id
      join vex_documents as document on document.workspace_id = ${workspaceId}
        and document.id = statement.document_id
      left join sboms as sbom on sbom.workspace_id = ${workspaceId} and sbom.id = document.sbom_id
      order by targeted.firmware_version_id, package_id, vulnerability_id, ${isDeciding(workspaceId)} desc,
        statement.origin = 'Document' desc, statement.stated_at desc, statement.received_at desc, statement.id desc
    )`
  return { ctes, targeted: sql.table('targeted'), newest: sql.table('newest') }
}

/** A finding with the statement about it that outranks the others. */
export interface StatedFinding {
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
  componentName: string
  componentVersion: string | null
  statementId: string
  /** All that say the same of the finding. */
  statementIds: string[]
  /** Whether the workspace lets the author decide over people. */
  isDeciding: boolean
  pointer: string
  documentId: string
  assessment: VexAssessment
  justification: string | null
  detail: string | null
  responses: string[]
  statedAt: Date
  origin: 'Document' | 'Build'
  author: string | null
  statedIn: StatedIn
  /** The present decision; null: nobody has decided. */
  oldAssessment: string | null
  oldJustification: string | null
  oldDetail: string | null
  oldResponses: string[] | null
  oldSource: string | null
  oldByEmail: string | null
  oldAssessedAt: Date | null
  /** `Conflict`: a person has decided otherwise. `Outranked`: a document has, and the statement is the build's. */
  outcome: 'Change' | 'Conflict' | 'Same' | 'Outranked'
  /** The statement says the same as the one that decided the finding, which is deleted or no longer about it. */
  followsDeleted: boolean
}

const isOfSbom = sql.raw(isOfSbomSql('decision'))
const origin = sql.raw(decideOriginSql('decision'))

export function chooseDecisionSource({
  origin: whose,
}: Pick<StatedFinding, 'origin'>): 'Build' | 'Vex' {
  return whose === 'Build' ? 'Build' : 'Vex'
}

/** White space around the detail is lost when documents are read. */
const saysSame = sql`(decision.assessment, decision.justification, btrim(decision.detail, E' \\t\\r\\n'),
    decision.responses)
  is not distinct from (stated.assessment, stated.justification, stated.detail, stated.responses)`

/**
 * The statement is not newer than the decision, or than the statement behind it. An export gives a decision one of these
 * two times, so importing it again changes nothing.
 */
const isNoNewer = sql`(stated.stated_at <= own.stated_at or stated.stated_at = decision.assessed_at
  or ${origin} = 'Person')`

/**
 * A person's decision holds until a person changes it, whatever the dates of statements. Only an author whom the workspace
 * lets decide over people does so, by statements made since.
 */
export async function listStatedFindings(db: Db, scope: FindingScope): Promise<StatedFinding[]> {
  const { ctes, newest } = selectStatements(scope)
  const { workspaceId } = scope
  const isSupported = sql`coalesce(decision.statement_id = any(stated.statement_ids), false)`
  const { rows } = await sql<StatedFinding>`
    with ${ctes}
    select stated.*, decision.assessment as old_assessment,
      decision.justification as old_justification, decision.detail as old_detail,
      decision.responses as old_responses, decision.source as old_source, decision.decided_by_email as old_by_email,
      decision.assessed_at as old_assessed_at,
      case
        when ${origin} is null then 'Change'
        when ${saysSame} then 'Same'
        when ${isOfSbom} and not ${isSupported} then 'Change'
        when decision.assessment = stated.assessment and ${isNoNewer} then 'Same'
        when ${origin} = 'Person' and not (stated.is_deciding and stated.stated_at > decision.assessed_at) then 'Conflict'
        when ${origin} = 'Document' and stated.origin = 'Build' then 'Outranked'
        else 'Change'
      end as outcome,
      coalesce(decision.source in ('Vex', 'Build') and ${saysSame} and not ${isSupported}, false) as follows_deleted
    from ${newest} as stated
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = stated.firmware_version_id and decision.package_id = stated.package_id
      and decision.vulnerability_id = stated.vulnerability_id
    left join vex_statements as own
      on own.workspace_id = ${workspaceId} and own.id = decision.statement_id
    order by stated.firmware_version_id, stated.package_id, stated.vulnerability_id`.execute(db)
  return rows
}

/**
 * The statements take the places of others that said the same. This is no new decision. What an SBOM said is from then on the
 * word of the statement; what a deleted document said stays that document's.
 */
export async function followStatements(
  tx: Tx,
  workspaceId: string,
  findings: readonly StatedFinding[],
): Promise<void> {
  if (findings.length === 0) return
  const keys = findings.map((finding) => ({
    firmwareVersionId: finding.firmwareVersionId,
    packageId: finding.packageId,
    vulnerabilityId: finding.vulnerabilityId,
    statementId: finding.statementId,
    origin: finding.origin,
    statedIn: finding.statedIn,
    source: chooseDecisionSource(finding),
  }))
  const taken = (column: string, input: string) => sql`${sql.raw(column)} = case
    when ${isOfSbom} then input.${sql.raw(input)} else decision.${sql.raw(column)} end`
  await sql`
    update finding_decisions as decision set statement_id = input."statementId", ${taken('source', 'source')},
      ${taken('origin', 'origin')}, ${taken('stated_in', '"statedIn"')}
    from json_to_recordset(${JSON.stringify(keys)}::json) as input ("firmwareVersionId" uuid,
      "packageId" uuid, "vulnerabilityId" text, "statementId" uuid, source text, origin text, "statedIn" jsonb)
    where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = input."firmwareVersionId"
      and decision.package_id = input."packageId" and decision.vulnerability_id = input."vulnerabilityId"`.execute(
    tx,
  )
}

/** The ids of statements that are about some finding of today. */
export async function listTargetedStatements(db: Db, scope: VersionScope): Promise<string[]> {
  const { ctes, targeted } = selectStatements(scope)
  const { rows } = await sql<{ statementId: string }>`
    with ${ctes} select distinct statement_id from ${targeted}`.execute(db)
  return rows.map(({ statementId }) => statementId)
}

/** The ids of statements that some finding they apply to does not follow: a person or a newer statement decided it. */
export async function listContestedStatements(db: Db, scope: VersionScope): Promise<string[]> {
  const { ctes, targeted } = selectStatements(scope)
  const { workspaceId } = scope
  const { rows } = await sql<{ statementId: string }>`
    with ${ctes}
    select distinct finding.statement_id
    from ${targeted} as finding
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = finding.firmware_version_id
      and decision.package_id = finding.package_id and decision.vulnerability_id = finding.vulnerability_id
    where decision.statement_id is distinct from finding.statement_id`.execute(db)
  return rows.map(({ statementId }) => statementId)
}

/** Finds earlier decisions for new findings in the predecessor of their version. */
import { type RawBuilder, sql } from 'kysely'
import {
  type Assessment,
  decideOriginSql,
  type DecisionOrigin,
  type DecisionSource,
  isOfSbomSql,
  type PreviousDecision,
  type StatedIn,
} from '../../../formats/assessments.ts'
import type { Acceptance } from '../../../formats/acceptances.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { RecheckCause } from './recheck-cause.ts'
import type { NewFindings } from '../../findings/index.ts'
import { findPredecessorOf } from '../../firmware/index.ts'

export interface FormerDecision {
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
  /** null: the finding was only ignored. */
  assessment: Assessment | null
  ignored: boolean
  acceptance: Acceptance | null
  justification: string | null
  responses: string[]
  detail: string | null
  source: DecisionSource
  /** Whose word it is, wherever it was made. */
  origin: DecisionOrigin | null
  statedIn: StatedIn | null
  createdByEmail: string | null
  statementId: string | null
  /** The reason that the earlier decision has. */
  recheckReason: string | null
  /** A new reason, in place of the earlier one. */
  recheckCause: RecheckCause | null
  /** What was decided before and does not simply apply. */
  previousDecision: PreviousDecision | null
  assessedLineId: string | null
  ignoredLineId: string | null
  /** null: now. */
  decidedAt: Date | null
  needsEntry: boolean
}

/** New findings without a decision, with the component that is shown for each. */
function newFindings(findings: NewFindings): RawBuilder<unknown> {
  const { workspaceId } = findings
  const undecided = sql`match.until is null and not exists (
      select from finding_decisions as decision
      where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id)`
  const shown = sql`fact.firmware_version_id, fact.package_id, match.vulnerability_id, fact.component_name,
    fact.component_version`
  if ('firmwareVersionId' in findings)
    return sql`select ${shown}
      from firmware_version_packages as fact join package_matches as match using (package_id)
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${findings.firmwareVersionId}
        and fact.since = ${findings.at} and fact.until is null and ${undecided}`
  // The `offset` keeps the planner from reading all packages of the workspace.
  return sql`select ${shown}
    from unnest(${findings.packageIds}::uuid[], ${findings.vulnerabilityIds}::text[]) as pair (package_id, vulnerability_id)
    join package_matches as match using (package_id, vulnerability_id)
    cross join lateral (
      select * from firmware_version_packages as each
      where each.workspace_id = ${workspaceId} and each.package_id = pair.package_id and each.until is null offset 0
    ) as fact
    where ${undecided}`
}

/**
 * `origin`: the versions to take decisions from, for each version with new findings. Its predecessor is one; the version
 * itself is the other, for a package that came beside or in place of another version of it.
 */
const originsIn = (workspaceId: string) => sql`
  select version.id, version.line_id, origin.id as origin_id, origin.name as origin, origin.id = version.id as is_own
  from (select distinct firmware_version_id from new_finding) as each
  join firmware_versions as version
    on version.workspace_id = ${workspaceId} and version.id = each.firmware_version_id
  join workspaces as workspace on workspace.id = ${workspaceId} and workspace.carry_over_assessments
  join firmware_versions as origin on origin.workspace_id = ${workspaceId}
    and origin.id in (version.id, ${findPredecessorOf(workspaceId)})`

/** `PreviousDecision` in SQL. A decision that only marks an earlier one is passed on as that. */
const previousOf = sql`case
  when decision.assessment = 'NotAssessed' and not decision.ignored then decision.previous_decision
  else jsonb_build_object('firmwareVersion', jsonb_build_object('id', origin.origin_id, 'name', origin.origin),
    'componentVersion', held.component_version, 'assessment', decision.assessment, 'ignored', decision.ignored,
    'acceptance', case when decision.ignored then decision.acceptance end,
    'justification', decision.justification, 'detail', decision.detail, 'responses', decision.responses,
    'assessedLineId', decision.assessed_line_id, 'ignoredLineId', decision.ignored_line_id,
    'decidedByEmail', decision.decided_by_email, 'decidedAt', coalesce(decision.assessed_at, decision.updated_at)) end`

const ASSESSED =
  'assessment justification responses detail statement_id recheck_reason assessed_at stated_in assessed_line_id'
const WITHOUT: Readonly<Record<string, string>> = {
  assessment: "'NotAssessed'",
  responses: "'{}'::text[]",
}

/** Of `each`: it was said of one release line, and the version that would take it over belongs to another. */
const isOfOtherLine = (column: 'assessed_line_id' | 'ignored_line_id') =>
  sql`(not origin.is_own and each.${sql.raw(column)} is not null and each.${sql.raw(column)} is distinct from origin.line_id)`
/** The same of what it only reminds of. */
const remindsOfOtherLine = sql`(not origin.is_own and each.assessment = 'NotAssessed'
  and coalesce(each.previous_decision ->> 'assessedLineId', each.previous_decision ->> 'ignoredLineId') is not null
  and coalesce(each.previous_decision ->> 'assessedLineId', each.previous_decision ->> 'ignoredLineId')::uuid
    is distinct from origin.line_id)`

/**
 * Decisions of `origin` on the vulnerability of `wanted`, without what SBOMs said: that holds for their firmware version only, and the next
 * one has SBOMs of its own. Nor is anything of them that holds for another release line. What a person ignored stays ignored.
 */
const selectOwnDecisions = (workspaceId: string) => sql`
  select package_id, vulnerability_id, each.ignored and not ${isOfOtherLine('ignored_line_id')} as ignored,
    case when not ${isOfOtherLine('ignored_line_id')} then acceptance end as acceptance, each.ignored_line_id, updated_at, source, origin,
    decided_by_email, evidence_hash, case when not ${remindsOfOtherLine} then previous_decision end as previous_decision, ${sql.join(
      ASSESSED.split(' ').map((name) => {
        const column = sql.raw(name)
        const none = sql.raw(WITHOUT[name] ?? 'null')
        return sql`case when ${sql.raw(isOfSbomSql('each'))} or ${isOfOtherLine('assessed_line_id')} or ${remindsOfOtherLine} then ${none} else each.${column} end as ${column}`
      }),
    )}
  from finding_decisions as each where each.workspace_id = ${workspaceId}
    and each.firmware_version_id = origin.origin_id and each.vulnerability_id = wanted.vulnerability_id`

/** `kept`: the same package; `changed`: a package that shares a key or the name. A decision made before the match has no hash. */
const carriedIn = (workspaceId: string) => sql`
  former as (
    select origin.id as firmware_version_id, origin.origin as predecessor, origin.is_own,
      decision.package_id, decision.vulnerability_id, decision.assessment, decision.ignored, decision.acceptance, decision.justification,
      decision.responses, decision.detail, decision.decided_by_email, decision.statement_id, decision.recheck_reason,
      ${sql.raw(decideOriginSql('decision'))} as origin, decision.stated_in,
      decision.updated_at, decision.assessed_at, decision.evidence_hash, decision.assessed_line_id, decision.ignored_line_id, held.component_name, held.component_version,
      decision.previous_decision as pending_decision, ${previousOf} as previous_decision
    from (select distinct firmware_version_id, vulnerability_id from new_finding) as wanted
    join origin on origin.id = wanted.firmware_version_id
    join lateral (${selectOwnDecisions(workspaceId)}) as decision on true
    left join lateral (
      select fact.component_name, fact.component_version from firmware_version_packages as fact
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = origin.origin_id
        and fact.package_id = decision.package_id
      order by fact.since desc limit 1) as held on true
    where decision.assessment <> 'NotAssessed' or decision.ignored or decision.recheck_reason is not null
  ), kept as (
    select new_finding.*, former.predecessor, former.assessment, former.ignored, former.acceptance, former.justification, former.responses,
      former.detail, former.decided_by_email, former.statement_id, former.recheck_reason, former.assessed_at, former.origin, former.stated_in,
      former.pending_decision, former.previous_decision, former.assessed_line_id, former.ignored_line_id,
      former.assessment = 'NotAssessed' or former.evidence_hash is null or former.evidence_hash = (
        select md5(evidence::text) from package_match_evidence as evidence
        where evidence.package_id = new_finding.package_id and evidence.vulnerability_id = new_finding.vulnerability_id
      ) as is_same
    from new_finding join former using (firmware_version_id, package_id, vulnerability_id)
    where not former.is_own
  ), changed as (
    select distinct on (new_finding.firmware_version_id, new_finding.package_id, new_finding.vulnerability_id)
      new_finding.*, former.predecessor, former.assessment, former.ignored, former.recheck_reason,
      former.previous_decision, former.component_version as version_before
    from new_finding
    join former using (firmware_version_id, vulnerability_id)
    where former.package_id <> new_finding.package_id
      and (not former.is_own or former.component_version <> new_finding.component_version)
      and (former.component_name = new_finding.component_name or exists (
        select from package_keys as own join package_keys as other using (key)
        where own.package_id = new_finding.package_id and other.package_id = former.package_id))
      and not exists (
        select from kept where kept.firmware_version_id = new_finding.firmware_version_id and kept.package_id = new_finding.package_id
          and kept.vulnerability_id = new_finding.vulnerability_id)
    order by new_finding.firmware_version_id, new_finding.package_id, new_finding.vulnerability_id,
      former.is_own desc, former.updated_at desc, former.package_id
  )`

/** `RecheckCause` in SQL. */
const buildCause = (
  code: 'EvidenceChanged' | 'PackageChanged',
  more = sql``,
) => sql`json_build_object(
  'code', ${code}::text, 'assessment', assessment, 'ignored', ignored, 'predecessor', predecessor ${more})`
const versionsOfPackage = sql`, 'from', version_before, 'to', component_version`
const isDecided = sql`(assessment <> 'NotAssessed' or ignored)`

/**
 * Decisions of the predecessor: the version that is named as such, else the newest earlier version of its release line with
 * an SBOM. If package and evidence are the same, the decision applies; if either changed, a person should check it.
 */
export async function listCarriedOver(tx: Tx, findings: NewFindings): Promise<FormerDecision[]> {
  const { workspaceId } = findings
  const { rows } = await sql<FormerDecision>`
    with new_finding as materialized (${newFindings(findings)}), origin as materialized (${originsIn(workspaceId)}),
      ${carriedIn(workspaceId)}
    select firmware_version_id, package_id, vulnerability_id,
      case when not is_same then 'NotAssessed' when assessed_at is not null then assessment end as assessment,
      ignored and is_same as ignored, case when is_same then acceptance end as acceptance,
      case when is_same then justification end as justification,
      case when is_same then responses else '{}' end as responses, case when is_same then detail end as detail,
      'CarriedOver' as source, case when is_same then origin end as origin,
      case when is_same then stated_in end as stated_in, decided_by_email as created_by_email,
      case when is_same then statement_id end as statement_id,
      case when is_same then recheck_reason end as recheck_reason,
      case when is_same then null else ${buildCause('EvidenceChanged')} end as recheck_cause,
      case when is_same then pending_decision else previous_decision end as previous_decision,
      case when is_same then assessed_line_id end as assessed_line_id,
      case when is_same then ignored_line_id end as ignored_line_id,
      -- As old as it is: a statement made since knows more.
      case when is_same then assessed_at end as decided_at, true as needs_entry
    from kept
    union all
    select firmware_version_id, package_id, vulnerability_id, 'NotAssessed', false, null, null, '{}', null,
      'CarriedOver', null, null, null, null, case when not ${isDecided} then recheck_reason end,
      case when ${isDecided} then ${buildCause('PackageChanged', versionsOfPackage)} end, previous_decision, null, null, null, true
    from changed`.execute(tx)
  return rows
}

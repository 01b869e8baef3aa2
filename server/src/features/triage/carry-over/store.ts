/**
 * Finds earlier decisions for new findings: in the version's predecessor, under a former id of the vulnerability, or
 * under the package's former identity.
 */
import { type RawBuilder, sql } from 'kysely'
import type { NewFindings } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { Assessment, DecisionSource, PreviousDecision } from '../../findings/index.ts'
import type { RecheckCause } from './recheck-cause.ts'

export interface FormerDecision {
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
  /** null: the finding was only ignored. */
  assessment: Assessment | null
  ignored: boolean
  justification: string | null
  responses: string[]
  detail: string | null
  source: DecisionSource
  createdByEmail: string | null
  statementId: string | null
  /** The reason that the earlier decision has. */
  recheckReason: string | null
  /** A new reason, in place of the earlier one. */
  recheckCause: RecheckCause | null
  /** What was decided before and does not simply apply. */
  previousDecision: PreviousDecision | null
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
  select version.id, origin.id as origin_id, origin.name as origin, origin.id = version.id as is_own
  from (select distinct firmware_version_id from new_finding) as each
  join firmware_versions as version
    on version.workspace_id = ${workspaceId} and version.id = each.firmware_version_id
  join workspaces as workspace on workspace.id = ${workspaceId} and workspace.carry_over_assessments
  join firmware_versions as origin on origin.workspace_id = ${workspaceId}
    and origin.id in (version.id, coalesce(version.predecessor_id, (
      select earlier.id from firmware_versions as earlier
      where earlier.workspace_id = ${workspaceId} and earlier.firmware_id = version.firmware_id
        and (earlier.created_at, earlier.id) < (version.created_at, version.id)
        and exists (
          select from sboms where sboms.workspace_id = ${workspaceId}
            and sboms.firmware_version_id = earlier.id and sboms.parsing_state = 'Succeeded')
      order by earlier.created_at desc, earlier.id desc limit 1)))`

/** `PreviousDecision` in SQL. A decision that only marks an earlier one is passed on as that. */
const previousOf = sql`case
  when decision.assessment = 'NotAssessed' and not decision.ignored then decision.previous_decision
  else jsonb_build_object('firmwareVersion', jsonb_build_object('id', origin.origin_id, 'name', origin.origin),
    'componentVersion', held.component_version, 'assessment', decision.assessment, 'ignored', decision.ignored,
    'justification', decision.justification, 'detail', decision.detail, 'responses', decision.responses,
    'decidedByEmail', decision.decided_by_email, 'decidedAt', coalesce(decision.assessed_at, decision.updated_at)) end`

/** `kept`: the same package; `changed`: a package that shares a key or the name. A decision made before the match has no hash. */
const carriedIn = (workspaceId: string) => sql`
  former as (
    select origin.id as firmware_version_id, origin.origin as predecessor, origin.is_own,
      decision.package_id, decision.vulnerability_id, decision.assessment, decision.ignored, decision.justification,
      decision.responses, decision.detail, decision.decided_by_email, decision.statement_id, decision.recheck_reason,
      decision.updated_at, decision.assessed_at, decision.evidence_hash, held.component_name, held.component_version,
      decision.previous_decision as pending_decision, ${previousOf} as previous_decision
    from (select distinct firmware_version_id, vulnerability_id from new_finding) as each
    join origin on origin.id = each.firmware_version_id
    join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = origin.origin_id and decision.vulnerability_id = each.vulnerability_id
    left join lateral (
      select fact.component_name, fact.component_version from firmware_version_packages as fact
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = origin.origin_id
        and fact.package_id = decision.package_id
      order by fact.since desc limit 1) as held on true
    where decision.assessment <> 'NotAssessed' or decision.ignored or decision.recheck_reason is not null
  ), kept as (
    select new_finding.*, former.predecessor, former.assessment, former.ignored, former.justification, former.responses,
      former.detail, former.decided_by_email, former.statement_id, former.recheck_reason, former.assessed_at,
      former.pending_decision, former.previous_decision,
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
const causeOf = (code: 'EvidenceChanged' | 'PackageChanged', more = sql``) => sql`json_build_object(
  'code', ${code}::text, 'assessment', assessment, 'ignored', ignored, 'predecessor', predecessor ${more})`
const versionsOfPackage = sql`, 'from', version_before, 'to', component_version`
const isDecided = sql`(assessment <> 'NotAssessed' or ignored)`

/**
 * Decisions of the predecessor: the version that is named as such, else the newest earlier version of the firmware with
 * an SBOM. If package and evidence are the same, the decision applies; if either changed, a person should check it.
 */
export async function listCarriedOver(tx: Tx, findings: NewFindings): Promise<FormerDecision[]> {
  const { workspaceId } = findings
  const { rows } = await sql<FormerDecision>`
    with new_finding as materialized (${newFindings(findings)}), origin as materialized (${originsIn(workspaceId)}),
      ${carriedIn(workspaceId)}
    select firmware_version_id, package_id, vulnerability_id,
      case when not is_same then 'NotAssessed' when assessed_at is not null then assessment end as assessment,
      ignored and is_same as ignored,
      case when is_same then justification end as justification,
      case when is_same then responses else '{}' end as responses, case when is_same then detail end as detail,
      'CarriedOver' as source, decided_by_email as created_by_email,
      case when is_same then statement_id end as statement_id,
      case when is_same then recheck_reason end as recheck_reason,
      case when is_same then null else ${causeOf('EvidenceChanged')} end as recheck_cause,
      case when is_same then pending_decision else previous_decision end as previous_decision,
      -- As old as it is: a statement made since knows more.
      case when is_same then assessed_at end as decided_at, true as needs_entry
    from kept
    union all
    select firmware_version_id, package_id, vulnerability_id, 'NotAssessed', false, null, '{}', null,
      'CarriedOver', null, null, case when not ${isDecided} then recheck_reason end,
      case when ${isDecided} then ${causeOf('PackageChanged', versionsOfPackage)} end, previous_decision, null, true
    from changed`.execute(tx)
  return rows
}

/**
 * Decisions whose findings have another id now; `former` holds them with the ids of the successors. A decision of a
 * person takes precedence over one of a VEX statement, then a newer one over an older one.
 */
function listTakenUp(tx: Tx, workspaceId: string, former: RawBuilder<unknown>) {
  const byPerson = (side: string) => {
    const decision = sql.raw(side)
    return sql`(${decision}.source <> 'Vex' and ${decision}.decided_by_email is not null)::int`
  }
  const isFormer = sql`(present.package_id is null
    or (${byPerson('present')}, present.updated_at) < (${byPerson('former')}, former.updated_at))`
  const isDisputed = sql`coalesce(present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
    and present.assessment <> former.assessment, false)`
  // Sorted by time, the entries of both timelines would end with the other decision.
  const needsEntry = sql`(${isDisputed} or coalesce(present.updated_at > former.updated_at, false))`
  const isNews = sql`exists (
    select from finding_timeline as entry
    where entry.workspace_id = ${workspaceId} and entry.firmware_version_id = former.firmware_version_id
      and entry.package_id = former.package_id and entry.vulnerability_id = former.vulnerability_id
      and not exists (
        select from finding_timeline as copy
        where copy.workspace_id = ${workspaceId} and copy.firmware_version_id = former.firmware_version_id
          and copy.package_id = former.successor_package_id and copy.vulnerability_id = former.successor_id
          and copy.id = entry.id))`
  const chosen = (column: string) => {
    const ref = sql.raw(column)
    return sql`case when ${isFormer} then former.${ref} else present.${ref} end`
  }
  const same = 'ignored justification responses detail statement_id previous_decision'.split(' ')
  return sql<FormerDecision>`
    with former as (${former})
    select distinct on (former.firmware_version_id, former.successor_package_id, former.successor_id)
      former.firmware_version_id, former.successor_package_id as package_id,
      former.successor_id as vulnerability_id,
      case when ${chosen('assessed_at')} is not null then ${chosen('assessment')} end as assessment,
      ${sql.join(same.map((column) => sql`${chosen(column)} as ${sql.raw(column)}`))},
      case when ${needsEntry} then 'System' else ${chosen('source')} end as source,
      ${chosen('decided_by_email')} as created_by_email, ${chosen('updated_at')} as decided_at, ${needsEntry} as needs_entry,
      case when not ${isDisputed} then ${chosen('recheck_reason')} end as recheck_reason,
      case when ${isDisputed} then json_build_object('code', 'AssessmentsDisagree',
        'formerVulnerabilityId', former.vulnerability_id, 'formerAssessment', former.assessment,
        'vulnerabilityId', former.successor_id, 'assessment', present.assessment) end as recheck_cause
    from former
    left join finding_decisions as present on present.workspace_id = ${workspaceId}
      and present.firmware_version_id = former.firmware_version_id
      and present.package_id = former.successor_package_id and present.vulnerability_id = former.successor_id
    where ${isNews} and (${isFormer} or ${isDisputed})
    order by former.firmware_version_id, former.successor_package_id, former.successor_id,
      ${byPerson('former')} desc, former.updated_at desc, former.vulnerability_id`.execute(tx)
}

/** Copies the timeline to the current id. The former id keeps its entries. */
async function copyTimeline(
  tx: Tx,
  workspaceId: string,
  former: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    insert into finding_timeline (workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at,
      source, created_by_email, assessment, ignored, justification, responses, detail, recheck_reason, statement_id)
    select distinct ${workspaceId}::uuid, entry.firmware_version_id, former.successor_package_id, former.successor_id,
      entry.id, entry.type, entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.justification, entry.responses, entry.detail, entry.recheck_reason, entry.statement_id
    from (${former}) as former
    join finding_timeline as entry on entry.workspace_id = ${workspaceId}
      and entry.firmware_version_id = former.firmware_version_id and entry.package_id = former.package_id
      and entry.vulnerability_id = former.vulnerability_id
    order by 1, 2, 3, 4, 5
    on conflict do nothing`.execute(tx)
}

async function takeUp(
  tx: Tx,
  workspaceId: string,
  former: RawBuilder<unknown>,
): Promise<FormerDecision[]> {
  const { rows } = await listTakenUp(tx, workspaceId, former)
  await copyTimeline(tx, workspaceId, former)
  return rows
}

/**
 * Decisions on vulnerabilities that were united or split. The newest decision of a person applies, and each part keeps
 * it; if persons disagreed, somebody should check it. A decision is taken up once only.
 */
export async function takeUpUnited(
  tx: Tx,
  changed: {
    workspaceId: string
    packageIds: readonly string[]
    vulnerabilityIds: readonly string[]
  },
): Promise<FormerDecision[]> {
  const { workspaceId } = changed
  const ids = sql`any(${changed.vulnerabilityIds}::text[])`
  return takeUp(
    tx,
    workspaceId,
    sql`
    select decision.*, decision.package_id as successor_package_id, alias.vulnerability_id as successor_id
    from vulnerability_aliases as alias
    join finding_decisions as decision on decision.vulnerability_id = alias.alias
    where decision.workspace_id = ${workspaceId} and (alias.alias = ${ids} or alias.vulnerability_id = ${ids}) and alias.vulnerability_id <> alias.alias
      and decision.package_id = any(${changed.packageIds}::uuid[])
    union
    select decision.*, decision.package_id, parting.part_id
    from vulnerability_partings as parting
    join finding_decisions as decision using (vulnerability_id)
    where decision.workspace_id = ${workspaceId} and (parting.vulnerability_id = ${ids} or parting.part_id = ${ids})
      and decision.package_id = any(${changed.packageIds}::uuid[])
      and exists (
        select from finding_timeline as entry
        where entry.workspace_id = ${workspaceId}
          and entry.firmware_version_id = decision.firmware_version_id and entry.package_id = decision.package_id
          and entry.vulnerability_id = decision.vulnerability_id and entry.created_at <= parting.parted_at)
      and not exists (
        select from finding_decisions as own
        where own.workspace_id = ${workspaceId} and own.firmware_version_id = decision.firmware_version_id
          and own.package_id = decision.package_id and own.vulnerability_id = parting.part_id)`,
  )
}

interface VersionAt {
  workspaceId: string
  firmwareVersionId: string
  at: Date
}

/**
 * Decisions on a package that left the version while another with the same key and version came: the same software,
 * identified differently because of an override, a new rule or a new SBOM. Either change may happen first.
 */
export async function takeUpReidentified(tx: Tx, change: VersionAt): Promise<FormerDecision[]> {
  const { workspaceId, firmwareVersionId, at } = change
  const version = sql`workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}`
  const pairsOf = (side: RawBuilder<unknown>) => sql`
    select fact.package_id, fact.since, fact.until, pair ->> 'key' as key, pair ->> 'version' as version
    from firmware_version_packages as fact
    join packages as package on package.id = fact.package_id
    cross join jsonb_array_elements(package.identity -> 'pairs') as pair
    where ${version} and ${side}`
  // Most versions have lost none, and then nothing is read of the others.
  const isLeft = sql`until is null and exists (
    select from firmware_version_packages where ${version} and until is not null)`
  const isGone = sql`until is not null and not exists (
    select from firmware_version_packages as open
    where open.workspace_id = ${workspaceId} and open.firmware_version_id = fact.firmware_version_id
      and open.package_id = fact.package_id and open.until is null)`
  const { numAffectedRows } = await sql`
    insert into firmware_version_package_successors as stored
      (workspace_id, firmware_version_id, package_id, successor_id, created_at)
    select distinct ${workspaceId}::uuid, ${firmwareVersionId}::uuid, gone.package_id, come.package_id, ${at}::timestamptz
    from (${pairsOf(isGone)}) as gone
    join (${pairsOf(isLeft)}) as come using (key, version)
    where gone.since < come.since and (gone.until = ${at} or come.since = ${at})
    order by 3, 4
    on conflict (workspace_id, firmware_version_id, package_id, successor_id) do update
      set created_at = excluded.created_at`.execute(tx)
  if (numAffectedRows === 0n) return []
  return takeUp(
    tx,
    workspaceId,
    sql`
    select decision.*, successor.successor_id as successor_package_id, decision.vulnerability_id as successor_id
    from firmware_version_package_successors as successor
    join finding_decisions as decision using (workspace_id, firmware_version_id, package_id)
    where ${version} and successor.created_at = ${at}`,
  )
}

/** Finds the decisions of findings that have another id now: of a united or split vulnerability, of a package identified anew. */
import { type RawBuilder, sql } from 'kysely'
import { decideOriginSql, rankOriginSql } from '../../../formats/assessments.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { FormerDecision } from './store.ts'

/**
 * Decisions whose findings have another id now; `former` holds them with the ids of the successors. The word of higher rank
 * applies, then the newer one. Only people ignore findings, so that is chosen apart from the assessment.
 */
function listTakenUp(tx: Tx, workspaceId: string, former: RawBuilder<unknown>) {
  const originIn = (side: string) => sql.raw(decideOriginSql(side))
  const rank = (side: string) => sql.raw(rankOriginSql(decideOriginSql(side)))
  const touched = (side: string) =>
    sql`(${sql.table(side)}.ignored or ${originIn(side)} = 'Person') is true`
  const isFormer = sql`(present.package_id is null
    or (${rank('present')}, present.updated_at) < (${rank('former')}, former.updated_at))`
  const isOfFormer = sql`(present.package_id is null
    or (${touched('present')}, present.updated_at) < (former.is_touched, former.touched_at))`
  const isIgnored = sql`case when ${isOfFormer} then former.is_ignored else present.ignored end`
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
  const same =
    'justification responses detail statement_id previous_decision stated_in assessed_line_id'.split(
      ' ',
    )
  return sql<FormerDecision>`
    with given as (${former}), former as (
      select former.*, first_value(ignored) over by_people as is_ignored,
        first_value(${touched('former')}) over by_people as is_touched, first_value(updated_at) over by_people as touched_at,
        first_value(acceptance) over by_people as its_acceptance, first_value(ignored_line_id) over by_people as its_line_id
      from given as former where ${isNews}
      window by_people as (partition by firmware_version_id, successor_package_id, successor_id
        order by ${touched('former')} desc, updated_at desc)
    )
    select distinct on (former.firmware_version_id, former.successor_package_id, former.successor_id)
      former.firmware_version_id, former.successor_package_id as package_id,
      former.successor_id as vulnerability_id,
      case when ${chosen('assessed_at')} is not null then ${chosen('assessment')} end as assessment,
      ${isIgnored} as ignored, case when ${isOfFormer} then former.its_acceptance else present.acceptance end as acceptance, case when ${isOfFormer} then former.its_line_id else present.ignored_line_id end as ignored_line_id,
      case when ${isFormer} then ${originIn('former')} else ${originIn('present')} end as origin,
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
    where ${isFormer} or ${isDisputed} or present.ignored <> ${isIgnored}
    order by former.firmware_version_id, former.successor_package_id, former.successor_id,
      ${rank('former')} desc, former.updated_at desc, former.vulnerability_id`.execute(tx)
}

/** Copies the timeline to the current id. The former id keeps its entries. */
async function copyTimeline(
  tx: Tx,
  workspaceId: string,
  former: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    insert into finding_timeline (workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at,
      source, created_by_email, assessment, ignored, justification, responses, detail, recheck_reason, statement_id,
      origin, stated_in, batch_id, before, undone_batch_id, acceptance, line_id)
    select distinct ${workspaceId}::uuid, entry.firmware_version_id, former.successor_package_id, former.successor_id,
      entry.id, entry.type, entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.justification, entry.responses, entry.detail, entry.recheck_reason, entry.statement_id, entry.origin,
      entry.stated_in, entry.batch_id, entry.before, entry.undone_batch_id, entry.acceptance, entry.line_id
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

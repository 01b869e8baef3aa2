/** Decisions that hold for findings to come. */
import { sql } from 'kysely'
import type { Acceptance } from '../../../formats/acceptances.ts'
import {
  type Assessment,
  decideOriginSql,
  type DecisionSource,
} from '../../../formats/assessments.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { NewFindings } from '../../findings/index.ts'

export interface StandingDecision {
  id: string
  vulnerabilityId: string
  componentName: string | null
  /** The release line whose versions it holds for; null: all versions. */
  lineId: string | null
  assessment: Assessment | null
  ignored: boolean
  acceptance: Acceptance | null
  justification: string | null
  responses: string[]
  detail: string | null
  source: DecisionSource
  createdAt: Date
  createdByEmail: string | null
}

/** A standing decision that was made, and what it took the place of: its values then, as JSON. */
export interface RestoredStanding {
  id: string
  createdAt: string
  before: object | null
  /** Absent: all. */
  lineId?: string
}

/** Decisions for one release line are kept apart. */
const tableOf = (lineId: string | null | undefined) =>
  sql.table(lineId ? 'line_decisions' : 'standing_decisions')

/** Takes the place of an earlier one about the same. */
export async function putStandingDecision(
  tx: Tx,
  workspaceId: string,
  row: StandingDecision,
): Promise<RestoredStanding> {
  const { id: newId, vulnerabilityId, componentName, lineId, ...said } = row
  const ofLine = lineId === null ? sql`` : sql`and line_id = ${lineId}`
  const { rows } = await sql<{ before: object }>`
    select to_jsonb(standing) as before from ${tableOf(lineId)} as standing
    where workspace_id = ${workspaceId} and vulnerability_id = ${vulnerabilityId}
      and component_name is not distinct from ${componentName} ${ofLine} for update`.execute(tx)
  const values = { ...said, acceptance: row.acceptance && JSON.stringify(row.acceptance) }
  const inserted = { workspaceId, id: newId, vulnerabilityId, componentName, ...values }
  const insertion =
    lineId === null
      ? tx
          .insertInto('standingDecisions')
          .values(inserted)
          .onConflict((conflict) =>
            conflict
              .columns(['workspaceId', 'vulnerabilityId', 'componentName'])
              .doUpdateSet(values),
          )
          .returning(['id', 'createdAt'])
      : tx
          .insertInto('lineDecisions')
          .values({ ...inserted, lineId })
          .onConflict((conflict) =>
            conflict
              .columns(['workspaceId', 'lineId', 'vulnerabilityId', 'componentName'])
              .doUpdateSet(values),
          )
          .returning(['id', 'createdAt'])
  const { id, createdAt } = await insertion.executeTakeFirstOrThrow()
  const before = rows[0]?.before ?? null
  return { id, createdAt: createdAt.toISOString(), before, ...(lineId !== null && { lineId }) }
}

/** Keeps the line until the end of the transaction. */
export async function lockLine(tx: Tx, workspaceId: string, lineId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('firmwareLines')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', lineId)
    .forKeyShare()
    .executeTakeFirst()
  return found !== undefined
}

/** Puts back what it took the place of, unless there is a newer one, or it is removed. */
export async function restoreStandingDecision(
  tx: Tx,
  workspaceId: string,
  { id, createdAt, before, lineId }: RestoredStanding,
): Promise<void> {
  const isSame = sql`standing.workspace_id = ${workspaceId} and standing.id = ${id}
    and standing.created_at = ${createdAt}::timestamptz`
  if (!before) {
    await sql`delete from ${tableOf(lineId)} as standing where ${isSame}`.execute(tx)
    return
  }
  const columns = STANDING_COLUMNS.map((name) => sql.raw(`${name} = earlier.${name}`))
  await sql`
    update ${tableOf(lineId)} as standing set ${sql.join(columns)}
    from jsonb_populate_record(null::${tableOf(lineId)}, ${JSON.stringify(before)}::jsonb) as earlier
    where ${isSame}`.execute(tx)
}

const STANDING_COLUMNS =
  'assessment ignored acceptance justification responses detail source created_at created_by_email'.split(
    ' ',
  )

/** Both kinds in one form. */
const selectAll = (workspaceId: string) => sql`
  select id, vulnerability_id, component_name, null::uuid as line_id, assessment, ignored, acceptance, justification, responses,
    detail, source, created_at, created_by_email
  from standing_decisions where workspace_id = ${workspaceId}
  union all
  select id, vulnerability_id, component_name, line_id, assessment, ignored, acceptance, justification, responses, detail, source,
    created_at, created_by_email
  from line_decisions where workspace_id = ${workspaceId}`

interface ListedStanding extends Omit<StandingDecision, 'source' | 'lineId'> {
  line: { id: string; name: string; firmware: { id: string; slug: string; name: string } } | null
}

/** Newest first. */
export async function listStandingDecisions(
  db: Db,
  workspaceId: string,
): Promise<ListedStanding[]> {
  const { rows } = await sql<ListedStanding>`
    select standing.id, standing.vulnerability_id, standing.component_name, standing.assessment, standing.ignored,
      standing.acceptance, standing.justification, standing.responses, standing.detail, standing.created_at,
      standing.created_by_email,
      case when line.id is not null then json_build_object('id', line.id, 'name', line.name,
        'firmware', json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)) end as line
    from (${selectAll(workspaceId)}) as standing
    left join firmware_lines as line on line.workspace_id = ${workspaceId} and line.id = standing.line_id
    left join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = line.firmware_id
    order by standing.created_at desc, standing.id desc limit 10000`.execute(db)
  return rows
}

export async function deleteStandingDecision(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<StandingDecision | undefined> {
  for (const table of ['standing_decisions', 'line_decisions']) {
    const { rows } = await sql<StandingDecision>`
      delete from ${sql.table(table)} where workspace_id = ${workspaceId} and id = ${id}
      returning id, vulnerability_id, component_name, ${sql.raw(table === 'line_decisions' ? 'line_id' : 'null::uuid as line_id')},
        assessment, ignored, acceptance, justification, responses, detail, source, created_at, created_by_email`.execute(
      tx,
    )
    if (rows[0]) return rows[0]
  }
  return undefined
}

/** The id under which findings have the vulnerability; the name itself, if no source knows it. */
export async function resolveVulnerability(db: Db, named: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select vulnerability_id as id from vulnerability_aliases where alias = ${named}
    order by vulnerability_id = alias desc, vulnerability_id limit 1`.execute(db)
  return rows[0]?.id ?? named
}

/** What was carried over from another line is older than what was said of this one. */
const outranksCarriedOver = sql`(decision.source = 'CarriedOver' and standing.line_id is not null
  and decision.assessed_line_id is distinct from standing.line_id and decision.assessed_at <= standing.created_at) is true`

export type AppliedDecision = FindingKey & Omit<StandingDecision, 'id'>

/**
 * New findings that no person has decided, that carrying over marks to be checked again, or that took over what was said earlier of another
 * release line, each with the decision that stands for it: one about its component before one about all, then the newest. The few standing
 * decisions are read first, and of each the findings.
 */
export async function listApplied(tx: Tx, findings: NewFindings): Promise<AppliedDecision[]> {
  const { workspaceId } = findings
  const ofVersion = 'firmwareVersionId' in findings
  const begun = ofVersion
    ? sql`fact.firmware_version_id = ${findings.firmwareVersionId} and fact.since = ${findings.at}`
    : sql`(match.package_id, match.vulnerability_id) in (
        select * from unnest(${findings.packageIds}::uuid[], ${findings.vulnerabilityIds}::text[]))`
  const meant = ofVersion
    ? sql``
    : sql`and alias.vulnerability_id = any(${findings.vulnerabilityIds}::text[])`
  const { rows } = await sql<AppliedDecision>`
    with standing as materialized (
      select standing.*, alias.vulnerability_id as held_id
      from (${selectAll(workspaceId)}) as standing
      join vulnerability_aliases as alias on alias.alias = standing.vulnerability_id
      where true ${meant}
    )
    select distinct on (fact.firmware_version_id, fact.package_id, match.vulnerability_id)
      fact.firmware_version_id, fact.package_id, match.vulnerability_id, standing.component_name, standing.line_id,
      standing.assessment, standing.ignored, standing.acceptance, standing.justification, standing.responses, standing.detail,
      standing.source, standing.created_at, standing.created_by_email
    from standing
    join package_matches as match on match.vulnerability_id = standing.held_id and match.until is null
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.package_id = match.package_id and fact.until is null
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = fact.firmware_version_id
      and (standing.line_id is null or standing.line_id = version.line_id)
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where ${begun} and not coalesce(decision.ignored, false)
      and (coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed' or ${sql.raw(decideOriginSql('decision'))} <> 'Person'
        or ${outranksCarriedOver})
      -- A mark to check again counts as decided only if what it reminds of is newer.
      and (decision.assessed_at is null or ${outranksCarriedOver}
        or (decision.previous_decision ->> 'decidedAt')::timestamptz <= standing.created_at)
      and (standing.component_name is null or standing.component_name = fact.component_name or exists (
        select from sbom_components as member
        join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
        where member.workspace_id = ${workspaceId} and sbom.firmware_version_id = fact.firmware_version_id
          and member.package_id = fact.package_id and member.package_name = standing.component_name))
    order by fact.firmware_version_id, fact.package_id, match.vulnerability_id,
      standing.component_name is null, standing.created_at desc`.execute(tx)
  return rows
}

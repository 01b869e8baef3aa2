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
}

/** Takes the place of an earlier one about the same. */
export async function putStandingDecision(
  tx: Tx,
  workspaceId: string,
  row: StandingDecision,
): Promise<RestoredStanding> {
  const { rows } = await sql<{ before: object }>`
    select to_jsonb(standing) as before from standing_decisions as standing
    where workspace_id = ${workspaceId} and vulnerability_id = ${row.vulnerabilityId}
      and component_name is not distinct from ${row.componentName} for update`.execute(tx)
  const { id: _, vulnerabilityId: __, componentName: ___, ...said } = row
  const acceptance = row.acceptance && JSON.stringify(row.acceptance)
  const values = { ...said, acceptance }
  const { id, createdAt } = await tx
    .insertInto('standingDecisions')
    .values({ workspaceId, ...row, acceptance })
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'vulnerabilityId', 'componentName']).doUpdateSet(values),
    )
    .returning(['id', 'createdAt'])
    .executeTakeFirstOrThrow()
  return { id, createdAt: createdAt.toISOString(), before: rows[0]?.before ?? null }
}

/** Puts back what it took the place of, unless there is a newer one, or it is removed. */
export async function restoreStandingDecision(
  tx: Tx,
  workspaceId: string,
  { id, createdAt, before }: RestoredStanding,
): Promise<void> {
  const isSame = sql`standing.workspace_id = ${workspaceId} and standing.id = ${id}
    and standing.created_at = ${createdAt}::timestamptz`
  if (!before) {
    await sql`delete from standing_decisions as standing where ${isSame}`.execute(tx)
    return
  }
  const columns = STANDING_COLUMNS.map((name) => sql.raw(`${name} = earlier.${name}`))
  await sql`
    update standing_decisions as standing set ${sql.join(columns)}
    from jsonb_populate_record(null::standing_decisions, ${JSON.stringify(before)}::jsonb) as earlier
    where ${isSame}`.execute(tx)
}

const STANDING_COLUMNS =
  'assessment ignored acceptance justification responses detail source created_at created_by_email'.split(
    ' ',
  )

/** Newest first. */
export async function listStandingDecisions(
  db: Db,
  workspaceId: string,
): Promise<Omit<StandingDecision, 'source'>[]> {
  return db
    .selectFrom('standingDecisions')
    .select(['id', 'vulnerabilityId', 'componentName', 'assessment', 'ignored', 'justification'])
    .select(['responses', 'detail', 'createdAt', 'createdByEmail'])
    .select(sql<Acceptance | null>`acceptance`.as('acceptance'))
    .where('workspaceId', '=', workspaceId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(10_000)
    .$narrowType<Pick<StandingDecision, 'assessment'>>()
    .execute()
}

export async function deleteStandingDecision(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<StandingDecision | undefined> {
  return tx
    .deleteFrom('standingDecisions')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .returning(['id', 'vulnerabilityId', 'componentName', 'assessment', 'ignored', 'justification'])
    .returning(['responses', 'detail', 'source', 'createdAt', 'createdByEmail'])
    .returning(sql<Acceptance | null>`acceptance`.as('acceptance'))
    .$narrowType<Pick<StandingDecision, 'assessment' | 'source'>>()
    .executeTakeFirst()
}

/** The id under which findings have the vulnerability; the name itself, if no source knows it. */
export async function resolveVulnerability(db: Db, named: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select vulnerability_id as id from vulnerability_aliases where alias = ${named}
    order by vulnerability_id = alias desc, vulnerability_id limit 1`.execute(db)
  return rows[0]?.id ?? named
}

export type AppliedDecision = FindingKey & Omit<StandingDecision, 'id'>

/**
 * New findings that no person has decided, or that carrying over marks to be checked again, each with the decision that stands for it: one about its component before one about
 * all. The few standing decisions are read first, and of each the findings.
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
      from standing_decisions as standing
      join vulnerability_aliases as alias on alias.alias = standing.vulnerability_id
      where standing.workspace_id = ${workspaceId} ${meant}
    )
    select distinct on (fact.firmware_version_id, fact.package_id, match.vulnerability_id)
      fact.firmware_version_id, fact.package_id, match.vulnerability_id, standing.component_name,
      standing.assessment, standing.ignored, standing.acceptance, standing.justification, standing.responses, standing.detail,
      standing.source, standing.created_at, standing.created_by_email
    from standing
    join package_matches as match on match.vulnerability_id = standing.held_id and match.until is null
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.package_id = match.package_id and fact.until is null
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where ${begun} and not coalesce(decision.ignored, false)
      and (coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed' or ${sql.raw(decideOriginSql('decision'))} <> 'Person')
      -- A mark to check again counts as decided only if what it reminds of is newer.
      and (decision.assessed_at is null
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

/** Decisions on findings: the current state, the timeline, and the counters they move. */
import { type RawBuilder, sql } from 'kysely'
import {
  type Assessment,
  type DecisionOrigin,
  type DecisionSource,
  isActiveSql,
  isUndecidedSql,
  type PreviousDecision,
  type StatedIn,
} from '../../formats/assessments.ts'
import type { Acceptance } from '../../formats/acceptances.ts'
import type { FindingKey } from '../../formats/finding-id.ts'
import { type DecidedLine, describeDecidedLine } from '../firmware/index.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { addingMoved, countedAs } from './counters-store.ts'
import { addDecisions } from './workspace-list/states-store.ts'
import { lockKeptOf } from './workspace-list/kept-store.ts'
import { refreshStates } from './workspace-list/states-store.ts'

/** A new decision on a finding. Omitted fields stay; a new assessment replaces all details of the old one. */
export interface DecisionRow extends FindingKey {
  /** The id of the entry in the timeline. */
  id: string
  assessment?: Assessment | null
  justification?: string | null
  responses?: readonly string[]
  detail?: string | null
  ignored?: boolean
  /**
   * What is said about ignoring it. Absent: nothing where it is ignored from now on, and a person ends what was said where it is
   * ignored no more.
   */
  acceptance?: Acceptance | null
  /** The release line that a new assessment holds for; null or absent: whatever version follows. */
  assessedLineId?: string | null
  /** The same of ignoring the finding. Absent: a finding that is ignored already stays ignored as far as it is. */
  ignoredLineId?: string | null
  /** The acceptance ends by itself: `recheckReason` marks the finding. */
  isEnd?: boolean
  source: DecisionSource
  /** Whose word the assessment is. Absent: as the source says, or nobody's, as of a finding that only is to be checked again. */
  origin?: DecisionOrigin | null
  statedIn?: StatedIn | null
  createdByEmail: string | null
  /** Why a person should look at it again. */
  recheckReason?: string | null
  previousDecision?: PreviousDecision | null
  statementId?: string | null
  /** The time of the decision, if it was made earlier. */
  decidedAt?: Date | null
  /** false: the timeline has the entry already. Default: true. */
  needsEntry?: boolean
  /** The batch of a command that can be taken back as a whole; the entry then keeps what it replaces. */
  batchId?: string
}

/**
 * Writes decisions, timeline and counters of one instant, with at most one row for each finding. The firmware versions
 * are locked and the packages shared, or the packages are locked exclusively. An assessment that changes nothing is
 * written too; setting `ignored` to its current value is not.
 */
export async function writeDecisions(
  tx: Tx,
  { workspaceId, rows, at }: { workspaceId: string; rows: readonly DecisionRow[]; at: Date },
): Promise<void> {
  if (rows.length === 0) return
  await lockKeptOf(tx, workspaceId)
  const input = selectInput(workspaceId, rows, at)
  // All read the present decisions, so these are replaced last. Citus takes no insert that
  // reads tables within another statement.
  await addDecisions(workspaceId, selectChangedDecisions(workspaceId, input)).execute(tx)
  await sql`with ${sumMoved(workspaceId, input)}, ${addingMoved(workspaceId, at)}`.execute(tx)
  await sql`
    insert into finding_timeline (workspace_id, firmware_version_id, package_id, vulnerability_id, id, type,
      created_at, source, created_by_email, assessment, ignored, justification, responses, detail, recheck_reason,
      statement_id, origin, stated_in, batch_id, before, acceptance, line_id)
    select ${workspaceId}::uuid, "firmwareVersionId", "packageId", "vulnerabilityId", id,
      case when is_assessed then 'Assessment' when ignored then 'Ignored' else 'Unignored' end,
      ${at}::timestamptz, source, "createdByEmail", assessment, ignored, justification, coalesce(responses, '{}'), detail,
      case when clears_mark then ${NO_MARK} when is_assessed or "isEnd" then recheck_reason end, "statementId", origin,
      "statedIn", "batchId", case when "batchId" is not null then replaced end, acceptance,
      case when is_assessed then "assessedLineId" when ignored then ignored_line_id end
    from (${input}) as input where coalesce("needsEntry", true)
    order by "firmwareVersionId", "packageId", "vulnerabilityId", id`.execute(tx)
  await sql`
    insert into finding_decisions as decision (workspace_id, firmware_version_id, package_id, vulnerability_id,
      assessment, ignored, updated_at, justification, responses, detail, source, decided_by_email, assessed_at,
      evidence_hash, recheck_reason, previous_decision, statement_id, origin, stated_in, acceptance, assessed_line_id,
      ignored_line_id)
    select ${workspaceId}::uuid, "firmwareVersionId", "packageId", "vulnerabilityId", assessment, ignored, decided_at,
      justification, coalesce(responses, '{}'), detail, source, "createdByEmail",
      case when is_assessed then decided_at end, md5(evidence.evidence::text), recheck_reason, previous_decision,
      "statementId", origin, "statedIn", acceptance, "assessedLineId", ignored_line_id
    from (${input}) as input
    left join package_match_evidence as evidence on evidence.package_id = input."packageId"
      and evidence.vulnerability_id = input."vulnerabilityId"
    order by "firmwareVersionId", "packageId", "vulnerabilityId"
    on conflict (workspace_id, firmware_version_id, package_id, vulnerability_id) do update set
      ignored = excluded.ignored, acceptance = excluded.acceptance, updated_at = excluded.updated_at,
      ignored_line_id = excluded.ignored_line_id, recheck_reason = excluded.recheck_reason, ${assessedColumns}`.execute(
    tx,
  )
  await refreshStates(
    tx,
    workspaceId,
    sql`select distinct vulnerability_id, package_id
      from unnest(${rows.map((row) => row.vulnerabilityId)}::text[], ${rows.map((row) => row.packageId)}::uuid[])
        as decided (vulnerability_id, package_id)`,
  )
}

/** The given decisions beside the present ones and the open matches. */
const selectInput = (workspaceId: string, rows: readonly DecisionRow[], at: Date) => sql`
  select given.*, decision.package_id is not null as was_decided, true as is_decided, to_jsonb(decision) as replaced,
    coalesce(decision.assessment, 'NotAssessed') as old_assessment,
    coalesce(decision.ignored, false) as old_ignored,
    coalesce(given."newAssessment", decision.assessment, 'NotAssessed') as assessment,
    coalesce(given."newIgnored", decision.ignored, false) as ignored,
    given."newAssessment" is not null as is_assessed, ${clearsMark} as clears_mark,
    case when ${keepsMark} then coalesce(given."recheckReason", decision.recheck_reason)
      when ${clearsMark} then null
      when given."newAssessment" is null and decision.package_id is not null and not coalesce(given."isEnd", false)
        then decision.recheck_reason
      else given."recheckReason" end as recheck_reason,
    ${acceptanceAfter(at)} as acceptance, ${ignoredLineAfter} as ignored_line_id,
    case when ${keepsMark} then coalesce(given."previousDecision", decision.previous_decision)
      else given."previousDecision" end as previous_decision,
    coalesce(given."decidedAt", ${at}) as decided_at, match.confidence as match_confidence,
    match.severity as match_severity, match.is_exploited as match_exploited
  from json_to_recordset(${JSON.stringify(rows.map(writeGiven))}::json) as given (id uuid, "firmwareVersionId" uuid,
    "packageId" uuid, "vulnerabilityId" text, "newAssessment" text, justification text, responses text[],
    detail text, "newIgnored" boolean, source text, origin text, "statedIn" jsonb, "createdByEmail" text, "recheckReason" text, "statementId" uuid,
    "previousDecision" jsonb, "decidedAt" timestamptz, "needsEntry" boolean, "batchId" uuid, "newAcceptance" jsonb, "isEnd" boolean,
    "assessedLineId" uuid, "ignoredLineId" uuid, "isLineSaid" boolean)
  left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
    and decision.firmware_version_id = given."firmwareVersionId" and decision.package_id = given."packageId"
    and decision.vulnerability_id = given."vulnerabilityId"
  left join package_matches as match on match.package_id = given."packageId"
    and match.vulnerability_id = given."vulnerabilityId" and match.until is null
  where given."newAssessment" is not null
    or coalesce(decision.ignored, false) is distinct from given."newIgnored"
    or (given."newAcceptance" is not null and given."newAcceptance" is distinct from decision.acceptance)
    or (given."newIgnored" and given."isLineSaid" and given."ignoredLineId" is distinct from decision.ignored_line_id)`

/** The line for which the finding is ignored: as far as was said, or as before. */
const ignoredLineAfter = sql`
    case when not coalesce(given."newIgnored", decision.ignored, false) then null
      when given."newIgnored" and (given."isLineSaid" or not coalesce(decision.ignored, false)) then given."ignoredLineId"
      else decision.ignored_line_id end`

/** Ignoring anew says what it says; whoever ends it without another word is a person. */
const acceptanceAfter = (at: Date) => sql`
    case when given."newAcceptance" is not null then given."newAcceptance"
      when given."newIgnored" and not coalesce(decision.ignored, false) then null
      when not given."newIgnored" and decision.ignored then decision.acceptance || jsonb_build_object('ended',
        jsonb_build_object('at', ${at.toISOString()}::text, 'causes', jsonb_build_array('Person'), 'byEmail', given."createdByEmail"))
      else decision.acceptance end`

/** By how much a counter moves where `assessment` and `ignored` change. */
function difference(count: (assessment: string, ignored: string) => string): RawBuilder<unknown> {
  const now = count('input.assessment', 'input.ignored')
  const old = count('input.old_assessment', 'input.old_ignored')
  return sql.raw(`(${now}::int - ${old}::int)`)
}
const isActiveAs = (assessment: string, ignored: string) =>
  isActiveSql({ assessment, ignored, confidence: 'input.match_confidence' })

/** Those of the input that hold now. */
const selectOpen = (workspaceId: string, input: RawBuilder<unknown>) => sql`(
      select input.*
      from (${input}) as input
      join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
        and fact.firmware_version_id = input."firmwareVersionId" and fact.package_id = input."packageId"
        and fact.until is null
      where input.match_confidence is not null
    )`

/** The counters that an input moves, as `moved`: it has the old state and the new one of each finding, and its match. */
export const sumMoved = (workspaceId: string, input: RawBuilder<unknown>) => sql`moved as (
      select input."firmwareVersionId" as firmware_version_id, each.counter, each.amount
      from ${selectOpen(workspaceId, input)} as input
      cross join lateral (values ${countedAs({
        severity: sql`input.match_severity`,
        isExploited: sql`input.match_exploited`,
        active: difference(isActiveAs),
        undecided: difference(
          (...state) => `(${isActiveAs(...state)} and ${isUndecidedSql(state[0])})`,
        ),
      })}) as each (counter, amount)
    )`

/** What the workspace keeps of decisions: one more of the new one, one less of the old one. */
export const selectChangedDecisions = (workspaceId: string, input: RawBuilder<unknown>) => sql`
      select input."vulnerabilityId" as vulnerability_id, input."packageId" as package_id, each.*
      from ${selectOpen(workspaceId, input)} as input
      cross join lateral (values
        (input.assessment, input.ignored, input.is_decided::int), (input.old_assessment, input.old_ignored, -input.was_decided::int)
      ) as each (assessment, ignored, amount)`

/** What an assessment replaces. */
const ASSESSED = [
  'assessment',
  'justification',
  'responses',
  'detail',
  'source',
  'decided_by_email',
  'assessed_at',
  'evidence_hash',
  'statement_id',
  'origin',
  'stated_in',
  'assessed_line_id',
]
const IGNORING = ['ignored', 'acceptance', 'ignored_line_id']
const MARK = ['recheck_reason', 'previous_decision']
/** All that a row of `finding_decisions` says of its finding. */
export const DECIDED_COLUMNS = [...IGNORING, 'updated_at', ...ASSESSED, ...MARK]
/** The timeline's text for a mark that was cleared without a new assessment. */
export const NO_MARK = ''
/** Ignoring a finding again is what its mark asked for, and so is a word about an acceptance that ended. */
const clearsMark = sql`(given."newAssessment" is null and coalesce(given."newIgnored", false)
  and (coalesce(decision.previous_decision ->> 'ignored' = 'true', false)
    or coalesce(decision.acceptance -> 'ended' is not null, false)))`
/** Only a person clears what reminds of an earlier decision: a document or a build may decide such a finding, but stays to be checked. */
const keepsMark = sql`(given.origin in ('Document', 'Build') and decision.previous_decision is not null)`
/** Ignoring a finding does not change its assessment and the details of it. */
const assessedColumns = sql.join(
  [...ASSESSED, 'previous_decision'].map((name) => {
    const column = sql.raw(name)
    const cleared =
      name === 'previous_decision'
        ? sql`when excluded.assessed_at is null and excluded.ignored
          and decision.previous_decision ->> 'ignored' = 'true' then null`
        : sql``
    return sql`${column} = case ${cleared}
      when excluded.assessed_at is null then decision.${column} else excluded.${column} end`
  }),
)

function writeGiven({ assessment, ignored, acceptance, ...row }: DecisionRow) {
  return {
    ...row,
    newAssessment: assessment ?? null,
    newIgnored: ignored ?? null,
    newAcceptance: acceptance ?? null,
    isLineSaid: row.ignoredLineId !== undefined,
  }
}

export interface TimelineRow {
  type: 'Assessment' | 'Ignored' | 'Unignored'
  createdAt: Date
  source: DecisionSource
  origin: DecisionOrigin | null
  statedIn: StatedIn | null
  createdByEmail: string | null
  assessment: Assessment
  /** The state after the entry. */
  ignored: boolean
  justification: string | null
  responses: string[]
  detail: string | null
  recheckReason: string | null
  acceptance: Acceptance | null
  /** The release line that it holds for; null: it is carried over to whatever version follows. */
  line: DecidedLine | null
  /** It took back what a command had decided. */
  isUndo: boolean
}

/** Oldest first. */
export async function listTimeline(
  db: Db,
  workspaceId: string,
  { firmwareVersionId, packageId, vulnerabilityId }: FindingKey,
): Promise<TimelineRow[]> {
  return db
    .selectFrom('findingTimeline')
    .select(['type', 'createdAt', 'source', 'createdByEmail', 'assessment', 'ignored'])
    .select(['justification', 'responses', 'detail', 'recheckReason', 'origin'])
    .select(sql<StatedIn | null>`stated_in`.as('statedIn'))
    .select(sql<Acceptance | null>`acceptance`.as('acceptance'))
    .select(describeDecidedLine(workspaceId, sql`line_id`).as('line'))
    .select((eb) => eb('undoneBatchId', 'is not', null).$castTo<boolean>().as('isUndo'))
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('packageId', '=', packageId)
    .where('vulnerabilityId', '=', vulnerabilityId)
    .orderBy('createdAt')
    .orderBy('id')
    .$narrowType<Pick<TimelineRow, 'type' | 'source' | 'assessment' | 'origin'>>()
    .execute()
}

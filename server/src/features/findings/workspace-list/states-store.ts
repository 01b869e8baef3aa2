/**
 * Which states findings of a workspace have: each confidence of a match, with each assessment, ignored or not, is a bit.
 * `workspace_matches.states` has the bits of all findings of a match that hold now. A filter for such states is another set of
 * bits, so that lists read no decisions.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Assessment, isActive } from '../../../formats/assessments.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { Confidence } from '../../matching/index.ts'
import { type ChangedStates, moveStates } from './component-vulnerabilities-store.ts'

/** Places of bits. The database has them stored: a new value comes last, and needs a migration. */
const CONFIDENCES = ['High', 'Medium', 'Low'] as const satisfies Confidence[]
const ASSESSMENTS = [
  'NotAssessed',
  'InTriage',
  'Exploitable',
  'NotAffected',
  'FalsePositive',
  'Resolved',
] as const satisfies Assessment[]
const BITS_OF_CONFIDENCE = 2 * ASSESSMENTS.length

interface State {
  confidence: Confidence
  assessment: Assessment
  ignored: boolean
}

const STATES: readonly State[] = CONFIDENCES.flatMap((confidence) =>
  ASSESSMENTS.flatMap((assessment) =>
    [false, true].map((ignored) => ({ confidence, assessment, ignored })),
  ),
)

export interface StateFilter {
  confidences?: Confidence[]
  assessments?: Assessment[]
  ignored?: boolean
  activeOnly?: boolean
}

/** The bits of findings that meet this part of the filter; undefined: it asks for no states. */
export function selectStates(filter: StateFilter): RawBuilder<unknown> | undefined {
  const { confidences, assessments, ignored, activeOnly } = filter
  if (!activeOnly && (confidences ?? assessments ?? ignored) === undefined) return undefined
  const isSelected = (state: State) =>
    (confidences?.includes(state.confidence) ?? true) &&
    (assessments?.includes(state.assessment) ?? true) &&
    (ignored ?? state.ignored) === state.ignored &&
    (!activeOnly || isActive(state))
  const bits = STATES.reduce(
    (sum, state, bit) => (isSelected(state) ? sum | (1n << BigInt(bit)) : sum),
    0n,
  )
  return sql`${String(bits)}::bigint`
}

/** Whether the match is doubted, as its states tell: `Medium` counts as `High`. */
export const readConfidenceSql = (states: string) =>
  `(case when ${states} >= ${1n << BigInt(2 * BITS_OF_CONFIDENCE)} then 'Low' else 'High' end)`

const placeIn = (values: readonly string[], value: RawBuilder<unknown>) =>
  sql`(array_position(${sql.lit(`{${values.join(',')}}`)}::text[], ${value}) - 1)`

/** The bit of a decision, `decided`, about a match of high confidence. */
export const DECISION_BIT = sql`(1::bigint << (2 * ${placeIn(ASSESSMENTS, sql`decided.assessment`)} + decided.ignored::int))`

/** The confidence of the match that the states belong to: by how many bits they are shifted. */
export const computeShift = (states: RawBuilder<unknown>) => sql`(case
  when ${states} >= ${String(1n << BigInt(2 * BITS_OF_CONFIDENCE))}::bigint then ${sql.lit(2 * BITS_OF_CONFIDENCE)}
  when ${states} >= ${String(1n << BigInt(BITS_OF_CONFIDENCE))}::bigint then ${sql.lit(BITS_OF_CONFIDENCE)} else 0 end)`

/** The bits of `match`, an open one, from what the workspace keeps of its decisions and of its package, `held`. */
export const statesOfMatch = (workspaceId: string) => sql`(
  select (coalesce(bit_or(${DECISION_BIT}), 0)
      | (held.version_count > coalesce(sum(decided.finding_count), 0))::int)
    << (${sql.lit(BITS_OF_CONFIDENCE)} * ${placeIn(CONFIDENCES, sql`match.confidence`)})
  from workspace_decisions as decided
  where decided.workspace_id = ${workspaceId} and decided.vulnerability_id = match.vulnerability_id
    and decided.package_id = match.package_id and decided.finding_count > 0)`

/**
 * Reads the states of matches again, after decisions, confidences or numbers of versions changed: `touched
 * (vulnerability_id, package_id)`. Few of them differ then. What the workspace keeps is locked.
 */
export async function refreshStates(
  tx: Tx,
  workspaceId: string,
  touched: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<ChangedStates>`
    with now as materialized (
      select kept.*, ${statesOfMatch(workspaceId)} as now_states
      from (${touched}) as touched
      cross join lateral (
        select * from workspace_matches as one
        where one.workspace_id = ${workspaceId} and one.vulnerability_id = touched.vulnerability_id
          and one.package_id = touched.package_id limit 1
      ) as kept
      cross join lateral (
        select version_count from workspace_packages as one
        where one.workspace_id = ${workspaceId} and one.package_id = touched.package_id limit 1
      ) as held
      cross join lateral (
        select * from package_matches as one
        where one.package_id = touched.package_id and one.vulnerability_id = touched.vulnerability_id
          and one.until is null limit 1
      ) as match
    ), written as (
      update workspace_matches as kept set states = now.now_states
      from now
      where kept.workspace_id = ${workspaceId} and kept.vulnerability_id = now.vulnerability_id
        and kept.package_id = now.package_id and now.states <> now.now_states
    )
    select component_name, vulnerability_id, bit_or(now_states & ~states)::text as gained,
      bit_or(states & ~now_states)::text as lost
    from now where states <> now_states group by component_name, vulnerability_id order by 1, 2`.execute(
    tx,
  )
  await moveStates(tx, workspaceId, rows)
}

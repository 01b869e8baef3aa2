/**
 * Which states findings of a workspace have: each confidence of a match, with each assessment, ignored or not, is a bit.
 * `workspace_matches.states` has the bits of all findings of a match that hold now, `workspace_vulnerabilities.states`
 * those of all its matches. A filter for such states is another set of bits, so that lists read no decisions.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import { type Assessment, isActive } from '../assessment.ts'
import type { Confidence } from '../../matching/index.ts'
import { leaveComponents, type LostOfComponent } from './kept-sums-store.ts'

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

interface StateFilter {
  confidences?: Confidence[]
  assessments?: Assessment[]
  ignored?: boolean
  activeOnly?: boolean
}

/** The bits of findings that meet this part of the filter; undefined: it asks for no states. */
export function statesMeant(filter: StateFilter): RawBuilder<unknown> | undefined {
  const { confidences, assessments, ignored, activeOnly } = filter
  if (!activeOnly && (confidences ?? assessments ?? ignored) === undefined) return undefined
  const isMeant = (state: State) =>
    (confidences?.includes(state.confidence) ?? true) &&
    (assessments?.includes(state.assessment) ?? true) &&
    (ignored ?? state.ignored) === state.ignored &&
    (!activeOnly || isActive(state))
  const bits = STATES.reduce(
    (sum, state, bit) => (isMeant(state) ? sum | (1n << BigInt(bit)) : sum),
    0n,
  )
  return sql`${String(bits)}::bigint`
}

const placeIn = (values: readonly string[], value: RawBuilder<unknown>) =>
  sql`(array_position(${sql.lit(`{${values.join(',')}}`)}::text[], ${value}) - 1)`

/** The bits of `match`, an open one, from what the workspace keeps of its decisions and of its package, `held`. */
export const statesOfMatch = (workspaceId: string) => sql`(
  select (coalesce(bit_or(1::bigint << (2 * ${placeIn(ASSESSMENTS, sql`decided.assessment`)} + decided.ignored::int)), 0)
      | (held.version_count > coalesce(sum(decided.finding_count), 0))::int)
    << (${sql.lit(BITS_OF_CONFIDENCE)} * ${placeIn(CONFIDENCES, sql`match.confidence`)})
  from workspace_decisions as decided
  where decided.workspace_id = ${workspaceId} and decided.vulnerability_id = match.vulnerability_id
    and decided.package_id = match.package_id and decided.finding_count > 0)`

interface Moved {
  vulnerabilityId: string
  /** Bits, as texts. */
  gained: string
  lost: string
}

/**
 * Reads the states of matches again, after decisions, confidences or numbers of versions changed: `touched
 * (vulnerability_id, package_id)`. Few of them differ then. What the workspace keeps is locked.
 */
export async function refreshStates(
  tx: Tx,
  workspaceId: string,
  touched: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<Moved & Pick<LostOfComponent, 'called'>>`
    with now as materialized (
      select kept.*, held.component_name as called, ${statesOfMatch(workspaceId)} as now_states
      from (${touched}) as touched
      cross join lateral (
        select * from workspace_matches as one
        where one.workspace_id = ${workspaceId} and one.vulnerability_id = touched.vulnerability_id
          and one.package_id = touched.package_id limit 1
      ) as kept
      cross join lateral (
        select * from workspace_packages as one
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
    select vulnerability_id, called, bit_or(now_states & ~states)::text as gained,
      bit_or(states & ~now_states)::text as lost
    from now where states <> now_states group by vulnerability_id, called order by 1`.execute(tx)
  await moveStates(tx, workspaceId, rows)
  await moveStatesOfComponents(tx, workspaceId, rows)
}

async function moveStatesOfComponents(
  tx: Tx,
  workspaceId: string,
  moved: readonly (Moved & Pick<LostOfComponent, 'called'>)[],
): Promise<void> {
  const gained = moved.filter((one) => one.gained !== '0')
  if (gained.length > 0)
    await sql`
      update workspace_component_vulnerabilities as kept set states = kept.states | moved.gained
      from unnest(${gained.map((one) => one.called)}::text[], ${gained.map((one) => one.vulnerabilityId)}::text[],
        ${gained.map((one) => one.gained)}::bigint[]) as moved (called, vulnerability_id, gained)
      where kept.workspace_id = ${workspaceId} and kept.component_name = moved.called
        and kept.vulnerability_id = moved.vulnerability_id and kept.states | moved.gained <> kept.states`.execute(
      tx,
    )
  const lost = moved.filter((one) => one.lost !== '0')
  await leaveComponents(
    tx,
    workspaceId,
    lost.map((one) => ({
      ...one,
      firstDetectedAt: null,
      lastDetectedAt: null,
      deviceMagnitude: 0,
    })),
  )
}

/** Most often the vulnerability has another match with the bits that one has lost. */
export async function moveStates(
  tx: Tx,
  workspaceId: string,
  moved: readonly Moved[],
): Promise<void> {
  if (moved.length === 0) return
  await sql`
    update workspace_vulnerabilities as counted set states = now.states
    from (
      select moved.vulnerability_id, case
          when moved.lost = 0 or exists (
            select from workspace_matches as other
            where other.workspace_id = ${workspaceId} and other.vulnerability_id = moved.vulnerability_id
              and other.states & moved.lost = moved.lost)
          then known.states | moved.gained
          else coalesce((
            select bit_or(other.states) from workspace_matches as other
            where other.workspace_id = ${workspaceId} and other.vulnerability_id = moved.vulnerability_id), 0)
          end as states
      from (
        select vulnerability_id, bit_or(gained) as gained, bit_or(lost) as lost
        from unnest(${moved.map((one) => one.vulnerabilityId)}::text[], ${moved.map((one) => one.gained)}::bigint[],
          ${moved.map((one) => one.lost)}::bigint[]) as each (vulnerability_id, gained, lost)
        group by vulnerability_id
      ) as moved
      cross join lateral (
        select * from workspace_vulnerabilities as one
        where one.workspace_id = ${workspaceId} and one.vulnerability_id = moved.vulnerability_id limit 1
      ) as known
    ) as now
    where counted.workspace_id = ${workspaceId} and counted.vulnerability_id = now.vulnerability_id
      and counted.states <> now.states`.execute(tx)
}

/**
 * How many findings of each match of a workspace are decided how (`workspace_decisions`), and which states they have: each confidence of a match, with each assessment, ignored or not, is a bit.
 * `workspace_matches.states` has the bits of all findings of a match that hold now. A filter for such states is another set of
 * bits, so that lists read no decisions.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Assessment, isActive } from '../../../formats/assessments.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { Confidence } from '../../matching/index.ts'
import type { HeldChanges, HeldCount } from '../store.ts'
import { type ComponentVulnerability, readMatchesAgain } from './component-vulnerabilities-store.ts'

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
  const { rows } = await sql<ComponentVulnerability>`
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
    select distinct component_name, vulnerability_id from now where states <> now_states order by 1, 2`.execute(
    tx,
  )
  await readMatchesAgain(tx, workspaceId, rows)
}

/** Adds findings to those with a decision, of `(vulnerability_id, package_id, assessment, ignored, amount)`. */
export const addDecisions = (workspaceId: string, moved: RawBuilder<unknown>) => sql`
  insert into workspace_decisions as kept
    (workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count)
  select ${workspaceId}::uuid, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
  from (${moved}) as moved
  group by package_id, vulnerability_id, assessment, ignored having sum(amount) <> 0
  order by package_id, vulnerability_id, assessment, ignored
  on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored) do update
    set finding_count = kept.finding_count + excluded.finding_count`

const IS_OPEN = sql`exists (
  select from package_matches as match
  where match.package_id = decision.package_id and match.vulnerability_id = decision.vulnerability_id
    and match.until is null)`

/**
 * Counts the decisions of a version whose packages began or ended. It must run before new findings take up decisions. `counts`:
 * how many versions hold each package now.
 */
export async function keepDecisionsOfVersion(
  tx: Tx,
  { workspaceId, firmwareVersionId, changes }: HeldChanges & { firmwareVersionId: string },
  counts: readonly HeldCount[],
): Promise<void> {
  const held = new Set(counts.filter(({ count }) => count > 0).map(({ packageId }) => packageId))
  // Of the others, all decisions are deleted.
  const moved = changes.filter(({ packageId, amount }) => amount !== 0 && held.has(packageId))
  if (moved.length === 0) return
  await addDecisions(
    workspaceId,
    sql`
    select decision.*
    from unnest(${moved.map(({ packageId }) => packageId)}::uuid[], ${moved.map(({ amount }) => amount)}::int[]) as changed (package_id, amount)
    cross join lateral (
      select each.vulnerability_id, each.package_id, each.assessment, each.ignored, changed.amount
      from finding_decisions as each
      where each.workspace_id = ${workspaceId} and each.firmware_version_id = ${firmwareVersionId}
        and each.package_id = changed.package_id offset 0
    ) as decision
    where ${IS_OPEN}`,
  ).execute(tx)
}

/** Must run before the versions are deleted. It counts only packages that other versions hold, too: the others lose all rows. */
export async function dropDecisionsOfVersions(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  await addDecisions(
    workspaceId,
    sql`
    select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored, -1 as amount
    from (
      select fact.package_id, array_agg(fact.firmware_version_id) as version_ids
      from firmware_version_packages as fact
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = any(${firmwareVersionIds}::uuid[])
        and fact.until is null
      group by fact.package_id
      having count(*) < (
        select owned.version_count from workspace_packages as owned
        where owned.workspace_id = ${workspaceId} and owned.package_id = fact.package_id)
    ) as held
    cross join lateral (
      select * from finding_decisions as each
      where each.workspace_id = ${workspaceId} and each.firmware_version_id = any(held.version_ids)
        and each.package_id = held.package_id offset 0
    ) as decision
    where ${IS_OPEN}`,
  ).execute(tx)
}

/** Of packages that changed: all rows of those that no version holds now, and those that count nothing any more. */
export async function deleteUncounted(
  tx: Tx,
  workspaceId: string,
  { changed, unheld }: { changed: readonly string[]; unheld: readonly string[] },
): Promise<void> {
  if (changed.length === 0) return
  await sql`
    delete from workspace_decisions as kept
    where kept.workspace_id = ${workspaceId} and kept.package_id = any(${changed}::uuid[])
      and (kept.finding_count = 0 or kept.package_id = any(${unheld}::uuid[]))`.execute(tx)
}

/** Of matches that begin or end. */
export async function deleteDecisions(
  tx: Tx,
  workspaceId: string,
  matches: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    delete from workspace_decisions as kept using (${matches}) as held
    where kept.workspace_id = ${workspaceId} and kept.vulnerability_id = held.vulnerability_id
      and kept.package_id = held.package_id`.execute(tx)
}

/** Counts all decisions about the matches: those from before, and those that were taken up. */
export async function readDecisions(
  tx: Tx,
  workspaceId: string,
  matches: RawBuilder<unknown>,
): Promise<void> {
  await addDecisions(
    workspaceId,
    sql`
    select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored, 1 as amount
    from (${matches}) as held
    cross join lateral (
      select each.* from finding_decisions as each
      where each.package_id = held.package_id and each.vulnerability_id = held.vulnerability_id
        and each.workspace_id = ${workspaceId} offset 0
    ) as decision
    cross join lateral (
      select from firmware_version_packages as each
      where each.workspace_id = ${workspaceId} and each.firmware_version_id = decision.firmware_version_id
        and each.package_id = decision.package_id and each.until is null offset 0
    ) as fact`,
  ).execute(tx)
}

/**
 * What SSVC decides, as conditions and columns in SQL. A row of a list has the class of its vulnerability and the contexts of the versions
 * that hold its package; a tree decides by both. So no row changes when the tree does (docs/design/ssvc.md).
 */
import { type RawBuilder, sql } from 'kysely'
import {
  ALL_CONTEXTS,
  CLASS_COUNT,
  type Decisions,
  RATED_CLASS_COUNT,
} from '../../formats/ssvc/classes.ts'
import { findMax, findMin } from '../../formats/extremes.ts'
import type { Db } from '../../platform/db/connect.ts'

/** What a tree decides in one workspace. */
export interface SsvcScope {
  decisions: Decisions
  /** By class: the least and the most urgent outcome that one of its findings has here. */
  least: readonly number[]
  most: readonly number[]
  /** The outcomes that the filter selects; undefined: it selects all. */
  wanted: ReadonlySet<number> | undefined
}

/** In which contexts the versions of the workspace stand, each once. */
export async function listContexts(db: Db, workspaceId: string): Promise<bigint[]> {
  const { rows } = await sql<{ contexts: string }>`
    select distinct ssvc_contexts::text as contexts from workspace_versions where workspace_id = ${workspaceId}`.execute(
    db,
  )
  return rows.map(({ contexts }) => BigInt(contexts) & ALL_CONTEXTS)
}

/** A package stands in the contexts of all versions that hold it, so its outcome is between those of single versions. */
export function findOutcomeBounds(
  decisions: Decisions,
  contexts: readonly bigint[],
  wanted: ReadonlySet<number> | undefined,
): SsvcScope {
  const some = contexts.length > 0 ? contexts : [ALL_CONTEXTS]
  const outcomes = Array.from({ length: RATED_CLASS_COUNT }, (_, ratedClass) =>
    some.map((one) => decisions.decide(ratedClass, one)),
  )
  return {
    decisions,
    least: outcomes.map((each) => findMin(each)),
    most: outcomes.map((each) => findMax(each)),
    wanted,
  }
}

/** The class of a row of `workspace_component_vulnerabilities`. */
export const selectRatedClass = (pair: string) =>
  sql`(${sql.ref(`${pair}.ssvcClass`)} + ${sql.lit(CLASS_COUNT)} * ${sql.ref(`${pair}.isExploited`)}::int)`

const pickOfClass = (values: readonly (number | bigint)[], ratedClass: RawBuilder<unknown>) =>
  sql`(${values.map(String)}::bigint[])[${ratedClass} + 1]`

/** The number of the outcome, as `Decisions.decide` has it. */
export const selectOutcome = (
  { decisions }: SsvcScope,
  ratedClass: RawBuilder<unknown>,
  contexts: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`(${sql.join(
    decisions.contextsFrom.map(
      (from) => sql`(${contexts} & ${pickOfClass(from, ratedClass)} <> 0)::int`,
    ),
    sql` + `,
  )})`

/** The same where contexts are looked up: `standsInSome` of the wanted ones. The most urgent outcome is asked for first. */
export const selectMostUrgent = (
  { decisions }: SsvcScope,
  ratedClass: RawBuilder<unknown>,
  standsInSome: (wanted: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const cases = decisions.contextsFrom.map(
    (from, index) =>
      sql`when ${standsInSome(pickOfClass(from, ratedClass))} then ${sql.lit(index + 1)}`,
  )
  return sql`case ${sql.join(cases.toReversed(), sql` `)} else 0 end`
}

/** The filter selects the outcome. Most filters name one outcome and all that are more urgent: then one look at the contexts decides. */
export function hasWantedOutcome(
  scope: SsvcScope,
  ratedClass: RawBuilder<unknown>,
  contexts: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const wanted = [...(scope.wanted ?? [])]
  const from = scope.decisions.contextsFrom[findMin(wanted) - 1]
  const isOpenEnded = wanted.length === scope.decisions.contextsFrom.length + 1 - findMin(wanted)
  return from && isOpenEnded
    ? sql`${contexts} & ${pickOfClass(from, ratedClass)} <> 0`
    : sql`${selectOutcome(scope, ratedClass, contexts)} = any(${wanted}::int[])`
}

export const selectLeast = ({ least }: SsvcScope, pair: string) =>
  sql`${pickOfClass(least, selectRatedClass(pair))}::int`
export const selectMost = ({ most }: SsvcScope, pair: string) =>
  sql`${pickOfClass(most, selectRatedClass(pair))}::int`

const classesWith = (isMeant: (ratedClass: number) => boolean) =>
  Array.from({ length: RATED_CLASS_COUNT }, (_, ratedClass) => ratedClass).filter(isMeant)

/** The classes of which some finding may have a wanted outcome, and of which all have one. */
export function classifyWanted({ least, most, wanted }: SsvcScope): {
  some: number[]
  all: number[]
} {
  const outcomesOf = (ratedClass: number) => {
    const from = least[ratedClass] ?? 0
    return Array.from({ length: (most[ratedClass] ?? 0) - from + 1 }, (_, index) => from + index)
  }
  return {
    some: classesWith((one) => outcomesOf(one).some((outcome) => wanted?.has(outcome))),
    all: classesWith((one) => outcomesOf(one).every((outcome) => wanted?.has(outcome))),
  }
}

export const isOfClass = (pair: string, classes: readonly number[]) =>
  sql`${selectRatedClass(pair)} = any(${classes}::int[])`

/** When findings of each outcome must have been detected to be overdue; undefined: they have no target. */
export interface OutcomeLimits {
  ssvc: SsvcScope
  before: readonly (Date | undefined)[]
}

const pickLimit = (limits: readonly (Date | undefined)[], place: RawBuilder<unknown>) =>
  sql`(${limits.map((limit) => limit?.toISOString() ?? null)}::timestamptz[])[${place} + 1]`

/** Of all outcomes that findings of a class have here: the latest limit of one of them, and the one that holds for all. */
export function selectClassLimits({ ssvc: { least, most }, before }: OutcomeLimits, pair: string) {
  const limitsOf = (ratedClass: number) =>
    before.slice(least[ratedClass] ?? 0, (most[ratedClass] ?? 0) + 1)
  const classes = Array.from({ length: RATED_CLASS_COUNT }, (_, one) => limitsOf(one))
  const pick = (limit: (limits: readonly (Date | undefined)[]) => Date | undefined) =>
    pickLimit(
      classes.map((limits) => limit(limits)),
      selectRatedClass(pair),
    )
  const sorted = (limits: readonly (Date | undefined)[]) =>
    limits.filter((one) => one !== undefined).toSorted((a, b) => a.getTime() - b.getTime())
  return {
    some: pick((limits) => sorted(limits).at(-1)),
    all: pick((limits) => (limits.includes(undefined) ? undefined : sorted(limits)[0])),
  }
}

/** The limit of the outcome that the tree decides. */
export const selectOutcomeLimit = (
  { ssvc, before }: OutcomeLimits,
  ratedClass: RawBuilder<unknown>,
  contexts: RawBuilder<unknown>,
) => pickLimit(before, selectOutcome(ssvc, ratedClass, contexts))

export interface VersionOutcomes {
  /** Numbers of outcomes, by class. */
  ofClass: readonly number[]
  /** Those that the filter selects; undefined: all. */
  wanted: ReadonlySet<number> | undefined
}

/** Of `match`: a public list names it as exploited. The list of the EU is short, and hashed. */
export const IS_LISTED = sql`(vulnerability.is_known_exploit
  or match.vulnerability_id in (select cve_id from eu_exploited_entries))`

/** Of `match` and its `vulnerability`. */
export const RATED_CLASS = sql`(vulnerability.ssvc_class + ${sql.lit(CLASS_COUNT)} * ${IS_LISTED}::int)`

/** Of `match` and its `vulnerability`. */
export const selectVersionOutcome = ({ ofClass }: VersionOutcomes): RawBuilder<unknown> =>
  sql`(${[...ofClass]}::int[])[${RATED_CLASS} + 1]`

/** In which contexts each version may stand: all, as long as it was not counted. */
export async function readContextsOfVersions(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ id: string; contexts: string }>`
    select asked.id, coalesce(numbered.ssvc_contexts, -1)::text as contexts
    from unnest(${[...firmwareVersionIds]}::uuid[]) as asked (id)
    left join workspace_versions as numbered
      on numbered.workspace_id = ${workspaceId} and numbered.firmware_version_id = asked.id`.execute(
    db,
  )
  return new Map(rows.map(({ id, contexts }) => [id, BigInt(contexts) & ALL_CONTEXTS]))
}

export async function readVersionContexts(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<bigint> {
  const contexts = await readContextsOfVersions(db, workspaceId, [firmwareVersionId])
  return contexts.get(firmwareVersionId) ?? ALL_CONTEXTS
}

/** The class of a vulnerability, as it is now. */
export async function readRatedClass(
  db: Db,
  vulnerabilityId: string,
): Promise<{ ratedClass: number; isListed: boolean }> {
  const { rows } = await sql<{ ssvcClass: number; isListed: boolean }>`
    select vulnerability.ssvc_class, ${IS_LISTED} as is_listed
    from vulnerabilities as vulnerability
    cross join lateral (select vulnerability.id as vulnerability_id) as match
    where vulnerability.id = ${vulnerabilityId}`.execute(db)
  const { ssvcClass = 0, isListed = false } = rows[0] ?? {}
  return { ratedClass: ssvcClass + (isListed ? CLASS_COUNT : 0), isListed }
}

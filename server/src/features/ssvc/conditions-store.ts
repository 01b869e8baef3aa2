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
export const selectVersionOutcome = ({ ofClass }: VersionOutcomes): RawBuilder<unknown> =>
  sql`(${[...ofClass]}::int[])[vulnerability.ssvc_class + ${sql.lit(CLASS_COUNT)} * ${IS_LISTED}::int + 1]`

/** In which contexts the version may stand: all, as long as it was not counted. */
export async function readVersionContexts(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<bigint> {
  const row = await db
    .selectFrom('workspaceVersions')
    .select(sql<string>`ssvc_contexts::text`.as('contexts'))
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .executeTakeFirst()
  return BigInt(row?.contexts ?? -1) & ALL_CONTEXTS
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

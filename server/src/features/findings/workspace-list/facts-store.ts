/** What a workspace holds: its packages with their names, in how many versions they are, and since when. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { heldAt, type Moment } from '../as-of-store.ts'
import type { WorkspaceSortColumn } from '../assessment.ts'
import { any, containsAny, type FindingFilter, lowered, partsOf } from '../list/filter-store.ts'
import type { FindingQuery } from '../list/store.ts'
import { detectedAtOf } from './kept-store.ts'
import {
  detectedIn,
  hasMember,
  isWhole,
  type Named,
  namedVulnerabilities,
  namedVulnerabilitiesOfMany,
  packageConditions,
  versionsInScope,
  type WorkspaceFindingFilter,
} from './filter-store.ts'
import { keptDecided } from './finding-filter-store.ts'

export interface WorkspaceFindingQuery {
  workspaceId: string
  filter: WorkspaceFindingFilter
  sortColumn: WorkspaceSortColumn
  ascending: boolean
  limit: number
  moment: Moment
  /** Whether nothing has changed since the instant shown, so that what is kept of the workspace tells it. */
  isCurrent: boolean
  /** Whether the workspace has so few matches that all of them are read: an index would lead through those of others. */
  isSmall: boolean
  /** Whether few matches were detected since `detectedSince`, or are overdue, so that these are read and nothing else. */
  isFewSince: boolean
  /** Whether few matches have a decision that the filter asks for, likewise. */
  isFewDecided: boolean
  after: FindingQuery['after']
  /** Packages that devices run, by risk only. */
  magnitudes?: DeviceMagnitudes
}

/** By package: the number of digits of the number of devices that run it; without those that no device runs. */
export type DeviceMagnitudes = ReadonlyMap<string, number>

/** When a version first held the package, and when the first version that still holds it began to. */
export const firstHeld = sql`
  min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
  min(fact.since) filter (where fact.until is null) as open_since`

/** `ended`: the first time that a match of the packages held and ended. Few have one. */
const endedMatches = sql`
  ended as materialized (
    select distinct on (package_id, vulnerability_id) package_id, vulnerability_id, since, until
    from package_matches
    where until is not null and until > since and package_id in (select package_id from fact)
    order by package_id, vulnerability_id, since
  )`

/** `first_seen`: the first time that `match` held. */
const firstSeen = sql`
  left join ended on ended.package_id = match.package_id and ended.vulnerability_id = match.vulnerability_id
  cross join lateral (
    select coalesce(ended.since, match.since) as since, coalesce(ended.until, match.until) as until
  ) as first_seen`

/** When a row was detected in the versions asked for. */
export const detectedAt = (query: Pick<WorkspaceFindingQuery, 'workspaceId' | 'filter'>) =>
  detectedAtOf(sql`${query.workspaceId}::uuid`, versionsInScope('fact', query))

/** Of packages that the workspace holds: their names, in how many versions they are, and since when. */
export function allPackages(query: WorkspaceFindingQuery): RawBuilder<unknown> {
  const facts = isWhole(query) ? keptFacts(query) : scopedFacts(query)
  return sql`${facts}${isTimedByFacts(query) ? sql`, ${endedMatches}` : sql``}`
}

export type Scoped = Pick<
  WorkspaceFindingQuery,
  'workspaceId' | 'filter' | 'moment' | 'isCurrent' | 'isSmall' | 'isFewSince' | 'isFewDecided'
>

/** As the workspace keeps it for all its versions. */
const keptFacts = (query: WorkspaceFindingQuery) => sql`
  fact as materialized (
    select package_id, component_name, component_version, version_count, held_since, open_since
    from workspace_packages as owned
    where owned.workspace_id = ${query.workspaceId} and owned.version_count > 0 ${packageConditions(query)}
  ), held as (select * from fact)`

/** The newest of the versions asked for gives the component's name and version. */
const newestFact = (query: Scoped, packageId: RawBuilder<unknown>) => sql`
  select fact.component_name, fact.component_version
  from firmware_version_packages as fact
  where fact.workspace_id = ${query.workspaceId} and fact.package_id = ${packageId}
    and ${heldAt('fact', query.moment)} ${versionsInScope('fact', query)}
  order by fact.firmware_version_id desc limit 1`

const scopedFacts = (query: WorkspaceFindingQuery) => sql`
  fact as materialized (
    select owned.package_id, newest.component_name, newest.component_version
    from workspace_packages as owned
    cross join lateral (${newestFact(query, sql`owned.package_id`)}) as newest
    where owned.workspace_id = ${query.workspaceId} ${packageConditions(query)}
  )${
    isCounted(query)
      ? sql`, held as materialized (
    select fact.package_id, count(*) filter (where ${heldAt('fact', query.moment)})::int as version_count, ${firstHeld}
    from firmware_version_packages as fact
    where fact.workspace_id = ${query.workspaceId} ${versionsInScope('fact', query)}
    group by fact.package_id
  )`
      : sql``
  }`

export const isByTime = ({ sortColumn, filter }: WorkspaceFindingQuery) =>
  sortColumn === 'DetectedAt' || filter.detectedSince !== undefined
/** What the workspace keeps does not tell when findings of some of its versions were detected. */
const isTimedByFacts = (query: WorkspaceFindingQuery) => isByTime(query) && !isWhole(query)
export const isCounted = (query: WorkspaceFindingQuery) =>
  query.sortColumn === 'FirmwareVersionCount' || isTimedByFacts(query)

/** `kept`, or what it is made of: when `match` was detected first. */
export const detectionTimes = (query: WorkspaceFindingQuery) =>
  isTimedByFacts(query)
    ? firstSeen
    : sql`
  join workspace_matches as kept on kept.workspace_id = ${query.workspaceId}
    and kept.vulnerability_id = match.vulnerability_id and kept.package_id = match.package_id`
export const detectedAtOfRow = (query: WorkspaceFindingQuery) =>
  isTimedByFacts(query) ? detectedAt(query) : sql`kept.detected_at`

/** The fact of the package of `match`: looked up row by row, whatever the planner believes of the rows. */
export const ownedFacts = (query: WorkspaceFindingQuery) =>
  isWhole(query)
    ? ownedFactOf(query, sql`match`)
    : sql`
  join workspace_packages as owned
    on owned.workspace_id = ${query.workspaceId} and owned.package_id = match.package_id
  cross join lateral (${newestFact(query, sql`match.package_id`)}) as fact`

/** The same for rows of what the workspace keeps. */
export const ownedFactOf = (
  { workspaceId }: WorkspaceFindingQuery,
  row: RawBuilder<unknown>,
) => sql`
  cross join lateral (
    select * from workspace_packages as owned
    where owned.workspace_id = ${workspaceId} and owned.package_id = ${row}.package_id and owned.version_count > 0
    offset 0
  ) as fact`

/** `known`: name and id of the vulnerability of a row. Looked up, as knowledge has many more than a workspace. */
export const nameOf = (row: RawBuilder<unknown>) => sql`
  cross join lateral (
    select each.id, each.name from vulnerabilities as each where each.id = ${row}.vulnerability_id offset 0
  ) as known`

/** The open match of a row of `workspace_matches`. The `limit` keeps the planner from a join with all matches. */
export const matchOf = (kept: RawBuilder<unknown>, match: RawBuilder<unknown>) => sql`
  cross join lateral (
    select * from package_matches as one
    where one.package_id = ${kept}.package_id and one.vulnerability_id = ${kept}.vulnerability_id and one.until is null
    limit 1
  ) as ${match}`

export const runningPackages = (magnitudes: DeviceMagnitudes) => sql`
  left join unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::int[])
    as running (package_id, magnitude) on running.package_id = match.package_id`

interface Looked {
  workspaceId: string
  fewMatches: number
  isSmall: boolean
}

/** Looks up names among the vulnerabilities and packages of the workspace, in all its versions as they are now. */
export function findNamed(
  db: Db,
  name: NonNullable<FindingFilter['name']>,
  { workspaceId, fewMatches, isSmall }: Looked,
): Promise<Named> {
  const parts = partsOf(name)
  // The whole key first: most keys do not contain the part, and cutting them takes longer than searching. With `exists` in
  // place of the limit, PostgreSQL may read the keys of all workspaces first.
  const isMeant = sql`(${containsAny(lowered(sql`owned.component_name`, parts), parts)} or (
    select true from package_keys as known where known.package_id = owned.package_id
      and case when ${containsAny(sql`known.key`, parts)}
        then ${containsAny(sql`substring(known.key from '[^:/]*$')`, parts)} else false end
    limit 1) is true)`
  return findMeant(db, {
    workspaceId,
    fewMatches,
    isSmall,
    packages: isMeant,
    vulnerabilities: (isSmall ? namedVulnerabilities : namedVulnerabilitiesOfMany)(
      workspaceId,
      parts,
    ),
  })
}

/** Looks up the packages of components likewise. */
export function findPackagesOf(
  db: Db,
  components: NonNullable<FindingFilter['components']>,
  looked: Looked,
): Promise<Named> {
  const isMeant = any(components.map((one) => hasMember(looked.workspaceId, one)))
  return findMeant(db, {
    ...looked,
    packages: isMeant,
    vulnerabilities: NO_VULNERABILITIES,
  })
}

const NO_VULNERABILITIES = sql`select null::text as vulnerability_id where false`

/** The packages that devices run, as they were counted last. */
export const RUNNING: Named = {
  packageIds: [],
  vulnerabilityIds: [],
  componentNames: [],
  otherPackageIds: [],
  isBroad: true,
  isRunning: true,
}

interface Meant extends Looked {
  packages: RawBuilder<unknown>
  vulnerabilities: RawBuilder<unknown>
}

async function findMeant(db: Db, meant: Meant): Promise<Named> {
  const { workspaceId, fewMatches, packages, vulnerabilities } = meant
  const { rows } = await sql<Omit<Named, 'isBroad'> & { matchCount: number }>`
    with each as materialized (
      select owned.package_id, owned.component_name, ${packages} as is_named
      from workspace_packages as owned
      where owned.workspace_id = ${workspaceId} and owned.version_count > 0
    ), named as materialized (
      select package_id, component_name from each where is_named
    ), component as materialized (
      select component_name from each group by component_name having bool_and(is_named)
    ), described as materialized (${vulnerabilities})
    select array(select package_id from named) as package_ids,
      array(select vulnerability_id from described) as vulnerability_ids,
      array(select component_name from component) as component_names,
      array(
        select package_id from named where component_name not in (select component_name from component)
      ) as other_package_ids,
      (select count(*)::int from (
        select from named cross join lateral (
          select from package_matches as match where match.package_id = named.package_id offset 0
        ) as match
        union all
        select from described cross join lateral (
          select from package_matches as match where match.vulnerability_id = described.vulnerability_id offset 0
        ) as match
        limit ${fewMatches}) as counted) as match_count`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('a query without tables always has a row')
  const { matchCount, ...named } = found
  return { ...named, isBroad: matchCount >= fewMatches }
}

export async function hasFewerMatches(db: Db, workspaceId: string, most: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select from workspace_matches as kept where workspace_id = ${workspaceId} limit ${most}) as counted`.execute(
    db,
  )
  return (rows[0]?.count ?? 0) < most
}

/** Whether fewer matches were detected in the time that the filter asks for. */
export async function hasFewerDetected(
  db: Db,
  { workspaceId, filter }: Pick<WorkspaceFindingQuery, 'workspaceId' | 'filter'>,
  most: number,
): Promise<boolean> {
  if (filter.detectedSince === undefined && filter.dueBefore === undefined) return false
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from workspace_matches as recent
      where workspace_id = ${workspaceId} ${detectedIn(filter)}
      limit ${most}
    ) as counted`.execute(db)
  return (rows[0]?.count ?? 0) < most
}

/** Whether fewer decisions of the filter are there. */
export async function hasFewerDecided(
  db: Db,
  query: Pick<WorkspaceFindingQuery, 'workspaceId' | 'filter'>,
  most: number,
): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select from workspace_decisions as decided where ${keptDecided(query)} limit ${most}) as counted`.execute(
    db,
  )
  return (rows[0]?.count ?? 0) < most
}

/** Whether findings of the workspace changed after the instant, or at it. */
export async function hasChangedSince(db: Db, workspaceId: string, at: Date): Promise<boolean> {
  const changed = await db
    .selectFrom('firmwareVersionCounters')
    .select('evaluatedAt')
    .where('workspaceId', '=', workspaceId)
    .where('evaluatedAt', '>=', at)
    .limit(1)
    .executeTakeFirst()
  return changed !== undefined
}

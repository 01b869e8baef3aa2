/** The list of findings of a workspace: which matches are on a page, and how many there are. */
import { type RawBuilder, sql } from 'kysely'
import type { WorkspaceSortColumn } from '../schemas.ts'
import type { Db } from '../../../platform/db/connect.ts'
import {
  isFromCursorOn,
  type Position,
  selectPage,
  type SortKey,
  types,
} from '../../../platform/db/keyset-paging.ts'
import {
  isOfAllVersions,
  type ListScope,
  mayHaveMatch,
  meetsFilter,
  selectScopedMatches,
} from './filter-store.ts'
import { likelihoods, listFleetRiskKeys } from '../list/orders-store.ts'

export interface RowQuery extends ListScope {
  sortColumn: WorkspaceSortColumn
  ascending: boolean
  limit: number
  after: Position
}

export interface WorkspaceRow {
  packageId: string
  vulnerabilityId: string
  sortValues: (string | number)[]
}

interface Order {
  /**
   * Which rows are put in order, so that the matches of one after another are read until the page is full. `risk`: pairs, once for
   * each number of devices that a match of theirs may have.
   */
  of: 'pair' | 'risk' | 'owned' | 'match'
  keys: readonly SortKey[]
}

const score: SortKey = { value: sql`coalesce(pair.score, '-1'::real)`, type: types.real }
const epss: SortKey = { value: sql`pair.epss_score`, type: types.real }
const severity: SortKey = { value: sql`pair.severity_rank::integer`, type: types.integer }

const RISK_KEYS = listFleetRiskKeys({
  isExploited: sql`pair.is_exploited`,
  magnitude: sql`match.device_magnitude`,
  severityRank: sql`pair.severity_rank`,
  epssScore: sql`pair.epss_score`,
})

const ORDERS: Record<WorkspaceSortColumn, Order> = {
  Risk: {
    of: 'risk',
    keys: [...RISK_KEYS, epss, score],
  },
  Severity: { of: 'pair', keys: [severity, score] },
  CvssScore: { of: 'pair', keys: [score] },
  EpssScore: { of: 'pair', keys: [epss] },
  CveId: { of: 'pair', keys: [] },
  Name: { of: 'pair', keys: [{ value: sql`pair.name`, type: types.text }] },
  ComponentName: { of: 'pair', keys: [{ value: sql`pair.component_name`, type: types.text }] },
  KnownCisaExploit: {
    of: 'pair',
    keys: [
      {
        value: sql`(pair.is_exploited and pair.vulnerability_id in (
          select id from vulnerabilities where is_known_exploit))::integer`,
        type: types.integer,
      },
    ],
  },
  ComponentVersion: {
    of: 'owned',
    keys: [{ value: sql`coalesce(owned.component_version, '') collate "C"`, type: types.text }],
  },
  FirmwareVersionCount: {
    of: 'owned',
    keys: [{ value: sql`owned.version_count`, type: types.integer }],
  },
  DetectedAt: { of: 'match', keys: [{ value: sql`match.detected_at`, type: types.time }] },
}

const VULNERABILITY: SortKey = { value: sql`match.vulnerability_id`, type: types.text }
const PACKAGE: SortKey = { value: sql`match.package_id`, type: types.uuid }

/** The keys of the order as columns of the rows that are put in order, and then what makes the order total. */
function keysOf({ of, keys }: Order): SortKey[] {
  if (of === 'match') return [...keys, VULNERABILITY, PACKAGE]
  const columns = keys.map(({ type }, index) => ({ value: sql.ref(`${of}.key_${index}`), type }))
  if (of === 'owned')
    return [...columns, { ...PACKAGE, value: sql`owned.package_id` }, VULNERABILITY]
  return [...columns, { ...VULNERABILITY, value: sql.ref(`${of}.vulnerabilityId`) }, PACKAGE]
}

const keyColumns = ({ keys }: Order) =>
  sql.join(
    keys.map(({ value }, index) => sql`, ${value} as ${sql.ref(`key_${index}`)}`),
    sql``,
  )

/**
 * The order of rows that are read until the page is full: those before the cursor are left out. The `offset` keeps the order:
 * PostgreSQL then sorts only what has the same keys, and stops.
 */
function inOrder(of: 'pair' | 'owned', { sortColumn, ascending, after }: RowQuery) {
  const order = ORDERS[sortColumn]
  if (order.of !== of) return sql`offset 0`
  const id = of === 'pair' ? VULNERABILITY : PACKAGE
  const name = of === 'pair' ? sql.ref('vulnerabilityId') : sql.ref('packageId')
  const keys = [
    ...order.keys.map(({ type }, index) => ({ value: sql.ref(`key_${index}`), type })),
    { ...id, value: name },
  ]
  const direction = ascending ? sql`asc` : sql`desc`
  return sql`
    where ${isFromCursorOn(keys, { ascending, after })}
    order by ${sql.join(keys.map(({ value }) => sql`${value} ${direction}`))} offset 0`
}

/**
 * Chooses between two ways to read an order by risk, of packages or of times. *By order* follows it until the page is full; *by
 * filter* finds all matches by their pairs, and sorts them. By filter 10,000 matches take 25 ms of the database; by order a page
 * takes 2 ms if every third match meets the filter, but 700,000 matches are read, for 500 ms, if none does. So by order is chosen
 * once more matches than `fewMatches` were counted, which the first page does anyway.
 */
export const isReadByOrder = (total: number, fewMatches: number): boolean => total > fewMatches

const mayHave = (query: RowQuery) => sql`
  select * from workspace_component_vulnerabilities as pair
  where pair.workspace_id = ${query.workspaceId} and ${mayHaveMatch(query)}`

/** The matches of `pair` that meet the filter. */
const matchesOfPair = (query: RowQuery) => sql`
  select match.* from workspace_matches as match
  where match.workspace_id = ${query.workspaceId} and match.vulnerability_id = pair.vulnerability_id
    and match.component_name = pair.component_name and ${meetsFilter(query)}`

const riskOfMatch = sql`
  cross join lateral (select pair.vulnerability_id ${keyColumns(ORDERS.Risk)}) as risk`

/** Of all versions: from the rows in order, or those that may have matches, to their matches. */
function matchesOfWorkspace(query: RowQuery, isByOrder: boolean): RawBuilder<unknown> {
  const { workspaceId, sortColumn } = query
  const order = ORDERS[sortColumn]
  if (isByOrder && order.of === 'risk') return matchesByRisk(query)
  if (isByOrder && order.of === 'match')
    return sql`workspace_matches as match where match.workspace_id = ${workspaceId} and ${meetsFilter(query)}`
  if (isByOrder && order.of === 'owned')
    return sql`
    (select * from (
      select owned.package_id ${keyColumns(order)} from workspace_packages as owned
      where owned.workspace_id = ${workspaceId} and owned.version_count > 0) as owned ${inOrder('owned', query)}) as owned
    cross join lateral (
      select match.* from workspace_matches as match
      where match.workspace_id = ${workspaceId} and match.package_id = owned.package_id and ${meetsFilter(query)} offset 0
    ) as match where true`
  return sql`
    (select * from (
      select pair.* ${order.of === 'pair' ? keyColumns(order) : sql``} from (${mayHave(query)}) as pair
    ) as pair ${inOrder('pair', query)}) as pair
    cross join lateral (${matchesOfPair(query)} offset 0) as match
    ${order.of === 'risk' ? riskOfMatch : sql``}
    ${
      order.of === 'owned'
        ? sql`cross join lateral (
      select owned.package_id ${keyColumns(order)} from workspace_packages as owned
      where owned.workspace_id = ${workspaceId} and owned.package_id = match.package_id offset 0) as owned`
        : sql``
    } where true`
}

/** A number of devices has ten digits at the most. */
const MOST_MAGNITUDE = 10

/**
 * One step for all pairs that are exploited or not, of one severity and likelihood, and for one magnitude of devices, the riskiest
 * first. Each is read until it fills the page, so that PostgreSQL sorts few pairs, and stops with the step that fills it.
 */
function matchesByRisk(query: RowQuery): RawBuilder<unknown> {
  const { ascending, limit, after } = query
  const direction = ascending ? sql`asc` : sql`desc`
  const page = selectPage(keysOf(ORDERS.Risk), ascending, after)
  const steps = RISK_KEYS.map(({ type }, index) => ({ value: sql.ref(`step.key_${index}`), type }))
  const stepColumns = sql.join(steps.map(({ value }) => value))
  const pairs = [...steps, epss, score, { ...VULNERABILITY, value: sql`pair.vulnerability_id` }]
  return sql`
    (select * from (
      select is_exploited, from_score, below_score, is_exploited::integer as key_0, (magnitude > 0)::integer as key_1,
        rank as key_2, likelihood as key_3, magnitude as key_4
      from (values (false), (true)) as each (is_exploited)
      cross join generate_series(1, 6) as rank cross join ${likelihoods} as bound (likelihood, from_score, below_score)
      cross join generate_series(0, ${sql.lit(MOST_MAGNITUDE)}) as magnitude
    ) as step
    where ${isFromCursorOn(steps, query)}
    order by ${sql.join(steps.map(({ value }) => sql`${value} ${direction}`))} offset 0) as step
    cross join lateral (
      select match.package_id, risk.*
      from (
        select * from (${mayHave(query)}) as pair
        where pair.is_exploited = step.is_exploited and pair.severity_rank = step.key_2 and pair.device_magnitude >= step.key_4
          and pair.epss_score >= step.from_score and pair.epss_score < step.below_score
          and ${isFromCursorOn(pairs, query)}
        order by pair.epss_score ${direction}, coalesce(pair.score, '-1'::real) ${direction}, pair.vulnerability_id ${direction} offset 0
      ) as pair
      cross join lateral (${matchesOfPair(query)} and match.device_magnitude = step.key_4 offset 0) as match
      ${riskOfMatch}
      where true ${page.beyond}
      order by risk.key_5 ${direction}, risk.key_6 ${direction}, pair.vulnerability_id ${direction}, match.package_id ${direction}
      limit ${limit}
    ) as chosen
    cross join lateral (select chosen.package_id, chosen.vulnerability_id) as match
    cross join lateral (
      select ${stepColumns}, chosen.key_5, chosen.key_6, chosen.vulnerability_id
    ) as risk where true`
}

/** Of some versions: from their matches to what belongs to the vulnerability. */
function matchesOfVersions({ sortColumn, ...scope }: RowQuery): RawBuilder<unknown> {
  const order = ORDERS[sortColumn]
  const columns = (of: Order['of']) => (order.of === of ? keyColumns(order) : sql``)
  return sql`
    (select match.* from scoped_matches as match where ${meetsFilter(scope)}) as match
    cross join lateral (
      select owned.package_id ${columns('owned')}
      from (select match.package_id, match.component_version, match.version_count) as owned
    ) as owned
    cross join lateral (
      select pair.vulnerability_id ${columns('pair')} ${columns('risk')}
      from (
        select one.vulnerability_id, one.name, one.score, one.epss_score, one.severity_rank, one.is_exploited,
          match.component_name
        from workspace_component_vulnerabilities as one
        where one.workspace_id = ${scope.workspaceId} and one.component_name = match.kept_name
          and one.vulnerability_id = match.vulnerability_id limit 1
      ) as pair
    ) as ${order.of === 'risk' ? sql`risk` : sql`pair`} where true`
}

const matches = (query: RowQuery, isByOrder: boolean) =>
  isOfAllVersions(query) ? matchesOfWorkspace(query, isByOrder) : matchesOfVersions(query)

export async function listRows(
  db: Db,
  query: RowQuery,
  isByOrder: boolean,
): Promise<WorkspaceRow[]> {
  const { sortColumn, ascending, limit, after } = query
  const page = selectPage(keysOf(ORDERS[sortColumn]), ascending, after)
  const { rows } = await sql<WorkspaceRow>`
    ${selectScopedMatches(query)}
    select package_id, vulnerability_id, ${page.sortValues} as sort_values
    from (
      select match.package_id, match.vulnerability_id, ${page.columns} from ${matches(query, isByOrder)} ${page.beyond}
      order by ${page.order} limit ${limit}
    ) as chosen
    order by ${page.place}`.execute(db)
  return rows
}

/** Whether the order of the list is one that can be read by order or by filter. */
export const hasTwoWays = ({ sortColumn, ...scope }: RowQuery): boolean =>
  ORDERS[sortColumn].of !== 'pair' && isOfAllVersions(scope)

/** Counts the rows of the list, `most` at the most. */
export async function countRows(db: Db, scope: ListScope, most: number): Promise<number> {
  const unsorted = {
    sortColumn: 'DetectedAt',
    ascending: false,
    limit: most,
    after: undefined,
  } as const
  const { rows } = await sql<{ count: number }>`
    ${selectScopedMatches(scope)}
    select count(*)::int as count
    from (select from ${matches({ ...scope, ...unsorted }, false)} limit ${most}) as counted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** The list of findings of a workspace: which matches are on a page, and how many there are. */
import { type RawBuilder, sql } from 'kysely'
import { SEVERITIES, type Severity } from '../../../formats/advisories/model.ts'
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
  selectContexts,
  selectScopedMatches,
} from './filter-store.ts'
import { selectRatedClass, selectLeast, selectMost, selectOutcome } from '../../ssvc/index.ts'
import { rankFleetRisk } from '../list/orders-store.ts'

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
   * Which rows are read in this order, and then the matches of one after another until the page is full. `run`: pairs, once for
   * each value, `run`, that a match of theirs may have.
   */
  of: 'pair' | 'run' | 'owned' | 'match'
  keys: readonly SortKey[]
  run?: {
    /** Of `pair`. */
    values: RawBuilder<unknown>
    /** Of `match`; its class of SSVC is a column of `row`. */
    ofMatch: (row: 'pair' | 'keyed') => RawBuilder<unknown>
  }
}

const score: SortKey = { value: sql`coalesce(pair.score, '-1'::real)`, type: types.real }
const epss: SortKey = { value: sql`pair.epss_score`, type: types.real }
const severity: SortKey = { value: sql`pair.severity_rank::integer`, type: types.integer }

const risk = rankFleetRisk({
  isExploited: sql`pair.is_exploited`,
  magnitude: sql`run.value`,
  severityRank: sql`pair.severity_rank`,
  epssScore: sql`pair.epss_score`,
})

const DEVICES: Order['run'] = {
  values: sql`generate_series(0, pair.device_magnitude)`,
  ofMatch: () => sql`match.device_magnitude`,
}

/** By outcome of SSVC, which one tree decides in this workspace. */
function orderBySsvc(scope: RowQuery): Order {
  const { ssvc } = scope
  if (!ssvc) throw new Error('the order by SSVC needs a tree')
  return {
    of: 'run',
    keys: [{ value: sql`run.value::integer`, type: types.integer }, severity, score],
    run: {
      values: sql`generate_series(${selectLeast(ssvc, 'pair')}, ${selectMost(ssvc, 'pair')})`,
      ofMatch: (row) => selectOutcome(ssvc, selectRatedClass(row), selectContexts(scope)),
    },
  }
}

const orderOf = (query: RowQuery): Order =>
  query.sortColumn === 'Ssvc' ? orderBySsvc(query) : ORDERS[query.sortColumn]

const ORDERS: Record<Exclude<WorkspaceSortColumn, 'Ssvc'>, Order> = {
  Risk: { of: 'run', keys: [risk, epss, score], run: DEVICES },
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

const VULNERABILITY: SortKey = { value: sql`keyed.vulnerability_id`, type: types.text }
const PACKAGE: SortKey = { value: sql`keyed.package_id`, type: types.uuid }

/** The columns of `keyed` that are in order, and what makes the order of its matches total. */
function keysOf({ of, keys }: Order): { first: SortKey[]; last: SortKey } {
  const first = keys.map(({ type }, index) => ({ value: sql.ref(`keyed.key_${index}`), type }))
  return of === 'owned'
    ? { first: [...first, PACKAGE], last: { ...VULNERABILITY, value: sql`match.vulnerability_id` } }
    : { first: [...first, VULNERABILITY], last: { ...PACKAGE, value: sql`match.package_id` } }
}

const keyColumns = ({ keys }: Order) =>
  sql.join(
    keys.map(({ value }, index) => sql`, ${value} as ${sql.ref(`key_${index}`)}`),
    sql``,
  )

/** `keyed`, of rows `match`, `run` and what else the order compares. */
const keyMatch = (order: Order) =>
  sql`cross join lateral (select match.vulnerability_id, match.package_id ${keyColumns(order)}) as keyed`

/**
 * Chooses between two ways to read the list. *By order* follows it until the page is full; *by filter* finds all matches by their
 * pairs, and sorts them. Orders of pairs are read by order. In all others 10,000 matches take 25 ms of the database by filter; by order
 * a page takes 2 ms if every third match meets the filter, but 700,000 matches are read, for 500 ms, if none does. So these are
 * read by order once more matches than `fewMatches` were counted, which the first page does anyway.
 */
export async function isReadByOrder(
  query: RowQuery,
  count: () => Promise<number>,
  fewMatches: number,
): Promise<boolean> {
  return isOfAllVersions(query) && (orderOf(query).of === 'pair' || (await count()) > fewMatches)
}

/** The matches that meet the filter, of rows that `isTheirs` compares. The `offset` has them read for one row after another. */
const matchesOf = (scope: ListScope, isTheirs: RawBuilder<unknown>) => sql`
    cross join lateral (
      select match.* from workspace_matches as match
      where match.workspace_id = ${scope.workspaceId} and ${isTheirs} and ${meetsFilter(scope)} offset 0
    ) as match`

const packagesWith = (order: Order, { workspaceId }: RowQuery) => ({
  rows: sql`select owned.package_id ${keyColumns(order)} from workspace_packages as owned
      where owned.workspace_id = ${workspaceId} and owned.version_count > 0`,
  isTheirs: sql`match.package_id = keyed.package_id`,
})

const pairsWith = (order: Order, query: RowQuery) => ({
  rows: sql`select pair.vulnerability_id, pair.component_name, pair.ssvc_class, pair.is_exploited, run.value ${keyColumns(order)}
      from workspace_component_vulnerabilities as pair
      cross join ${order.run?.values ?? sql`(values (null::integer))`} as run (value)
      where pair.workspace_id = ${query.workspaceId} and ${mayHaveMatch(query)}`,
  isTheirs: sql`match.vulnerability_id = keyed.vulnerability_id and match.component_name = keyed.component_name
      ${order.run ? sql`and ${order.run.ofMatch('keyed')} = keyed.value` : sql``}`,
})

/**
 * The `offset` keeps the order of `keyed`: PostgreSQL then sorts only what has the same keys, and stops. So all rows are sorted by one
 * key, which is fast, and by the others only those that are read.
 */
function readByOrder(query: RowQuery): RawBuilder<unknown> {
  const { workspaceId, ascending } = query
  const order = orderOf(query)
  if (order.of === 'match')
    return sql`workspace_matches as match ${keyMatch(order)} where match.workspace_id = ${workspaceId} and ${meetsFilter(query)}`
  const { rows, isTheirs } =
    order.of === 'owned' ? packagesWith(order, query) : pairsWith(order, query)
  const { first } = keysOf(order)
  const sorted = first.map(({ value }) => sql`${value} ${ascending ? sql`asc` : sql`desc`}`)
  return sql`
    (select * from (
      select * from (${rows}) as keyed where ${isFromCursorOn(first, query)} order by ${sorted[0]} offset 0
    ) as keyed order by ${sql.join(sorted)} offset 0) as keyed
    ${matchesOf(query, isTheirs)} where true`
}

/** All matches that meet the filter: of all versions by their pairs, of some versions by what these hold. */
function readByFilter(scope: ListScope, order: Order | undefined): RawBuilder<unknown> {
  const { workspaceId } = scope
  const keyed = order
    ? sql`cross join lateral (select ${order.run?.ofMatch('pair') ?? sql`null::integer`} as value) as run ${keyMatch(order)}`
    : sql``
  if (isOfAllVersions(scope))
    return sql`
    (select * from workspace_component_vulnerabilities as pair
      where pair.workspace_id = ${workspaceId} and ${mayHaveMatch(scope)} offset 0) as pair
    ${matchesOf(scope, sql`match.vulnerability_id = pair.vulnerability_id and match.component_name = pair.component_name`)}
    ${
      order?.of === 'owned'
        ? sql`cross join lateral (
      select * from workspace_packages as owned
      where owned.workspace_id = ${workspaceId} and owned.package_id = match.package_id offset 0) as owned`
        : sql``
    } ${keyed} where true`
  return sql`scoped_matches as match
    ${
      order
        ? sql`cross join lateral (select match.component_version, match.version_count) as owned
    cross join lateral (
      select one.vulnerability_id, one.name, one.score, one.epss_score, one.severity_rank, one.is_exploited,
        one.ssvc_class, match.component_name
      from workspace_component_vulnerabilities as one
      where one.workspace_id = ${workspaceId} and one.component_name = match.kept_name
        and one.vulnerability_id = match.vulnerability_id limit 1
    ) as pair`
        : sql``
    } ${keyed} where ${meetsFilter(scope)}`
}

export async function listRows(
  db: Db,
  query: RowQuery,
  isByOrder: boolean,
): Promise<WorkspaceRow[]> {
  const { ascending, limit, after } = query
  const order = orderOf(query)
  const { first, last } = keysOf(order)
  const page = selectPage([...first, last], ascending, after)
  const { rows } = await sql<WorkspaceRow>`
    ${selectScopedMatches(query)}
    select package_id, vulnerability_id, ${page.sortValues} as sort_values
    from (
      select match.package_id, match.vulnerability_id, ${page.columns}
      from ${isByOrder ? readByOrder(query) : readByFilter(query, order)} ${page.beyond}
      order by ${page.order} limit ${limit}
    ) as chosen
    order by ${page.place}`.execute(db)
  return rows
}

/** Counts the rows of the list by severity, the worst first. */
export async function countRowsBySeverity(
  db: Db,
  scope: ListScope,
): Promise<{ severity: Severity; count: number }[]> {
  const { rows } = await sql<{ rank: number; count: number }>`
    ${selectScopedMatches(scope)}
    select match.severity_rank as rank, count(*)::int as count
    from ${readByFilter(scope, undefined)} group by match.severity_rank`.execute(db)
  const counts = new Map(rows.map(({ rank, count }) => [rank, count]))
  return SEVERITIES.map((name, index) => ({
    severity: name,
    count: counts.get(SEVERITIES.length - index) ?? 0,
  }))
}

/** Counts the rows of the list, `most` at the most. */
export async function countRows(db: Db, scope: ListScope, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    ${selectScopedMatches(scope)}
    select count(*)::int as count
    from (select from ${readByFilter(scope, undefined)} limit ${most}) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

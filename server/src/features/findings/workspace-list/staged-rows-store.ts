/**
 * Orders of the list. By what belongs to the vulnerability, those of the workspace are put in order, and the rows of one after
 * another are read until the page is full; by what belongs to the package likewise. By risk the rows are read in stages:
 * within each of them an index has the order, or the rows are few. Known exploits come first, then it goes by the magnitude of
 * the number of devices, by severity, by EPSS score, by CVSS score. So are orders by EPSS score and known exploit of some
 * versions, or as of a past instant.
 */
import { sql } from 'kysely'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { isListedExploitAt } from '../as-of-store.ts'
import type { WorkspaceSortColumn } from '../assessment.ts'
import { score, severityRank, type SortKey, types } from '../list/store.ts'
import { allPackages, runningPackages, type WorkspaceFindingQuery } from './facts-store.ts'
import { isWhole, packageConditions } from './filter-store.ts'
import { asksKeptDecisions, findingCondition, packagesDecided } from './finding-filter-store.ts'
import { statesMeant } from './states-store.ts'
import { keptVulnerabilities } from './store.ts'
import {
  epssKey,
  isOfFewDecided,
  isOfFewRecent,
  isRowByRow,
  ID,
  isSelective,
  keptMatches,
  type KeptOrder,
  listKeptRows,
  listWorkspaceRows,
  matchesOfExploited,
  selected,
  type Stage,
  type WorkspaceRow,
} from './rows-store.ts'

/**
 * What the rows of a stage have in common. By risk: exploited, magnitude, rank of the severity, whether there is an EPSS
 * score, as far as the stage determines them. By EPSS score: whether there is one. By known exploit: whether it is one.
 */
type Place = readonly number[]

const constant = (value: number) => ({ value: sql`${value}::integer`, type: types.integer })
const scoredByEpss = sql`join epss_scores as epss on epss.cve_id = match.vulnerability_id`
const perhapsScored = sql`left ${scoredByEpss}`
const isExploited = sql`(select true from vulnerabilities as known
  where known.id = match.vulnerability_id and known.is_known_exploit limit 1) is true`
const hasNoEpss = sql`(select true from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1) is not true`

const isKnownExploit = sql`and match.vulnerability_id in (select id from vulnerabilities where is_known_exploit)`
const withEpss = { keys: [{ value: sql`epss.score`, type: types.real }], joins: scoredByEpss }
const withoutEpss = { keys: [{ value: sql`'-1'::real`, type: types.real }], joins: sql`` }

function stageOf(place: Place, query: WorkspaceFindingQuery): Stage {
  const isFirst = place[0] === 1
  if (query.sortColumn === 'EpssScore')
    return isFirst
      ? { ...withEpss, where: sql`` }
      : { ...withoutEpss, where: sql`and ${hasNoEpss}` }
  if (query.sortColumn === 'KnownCisaExploit')
    return {
      keys: [constant(isFirst ? 1 : 0)],
      joins: sql``,
      where: isFirst ? isKnownExploit : sql`and not ${isExploited}`,
    }
  return riskStage(place, query)
}

function riskStage(place: Place, query: WorkspaceFindingQuery): Stage {
  const [exploited, magnitude, rank, scored] = place
  const magnitudes = query.magnitudes ?? new Map<string, number>()
  if (exploited === 1)
    return {
      keys: [constant(1), magnitudeKey, severityRank, epssKey, score],
      joins: sql`${perhapsScored} ${runningPackages(magnitudes)}`,
      where: sql``,
      matches: matchesOfExploited,
    }
  const ofMagnitude = [...magnitudes].filter(([, each]) => each === magnitude).map(([id]) => id)
  if (rank === undefined)
    return {
      keys: [constant(0), constant(magnitude ?? 0), severityRank, epssKey, score],
      joins: perhapsScored,
      where: sql`and match.package_id = any(${ofMagnitude}::uuid[]) and not ${isListedExploitAt(query.moment)}`,
    }
  const withoutDevices =
    magnitudes.size === 0
      ? sql``
      : sql`and match.package_id <> all(${[...magnitudes.keys()]}::uuid[])`
  const rest = sql`${withoutDevices} and ${severityRank.value} = ${rank} and not ${isListedExploitAt(query.moment)}`
  const start = [constant(0), constant(0), constant(rank)]
  return scored === 1
    ? {
        keys: [...start, ...withEpss.keys, score],
        joins: withEpss.joins,
        where: rest,
      }
    : {
        keys: [...start, ...withoutEpss.keys, score],
        joins: withoutEpss.joins,
        where: sql`${rest} and ${hasNoEpss}`,
      }
}

const magnitudeKey = { value: sql`coalesce(running.magnitude, 0)`, type: types.integer }
/** The stages that the filter leaves, worst first. */
function placesOf(query: WorkspaceFindingQuery): Place[] {
  const { filter, magnitudes = new Map<string, number>() } = query
  if (query.sortColumn !== 'Risk') return [[1], [0]]
  const { severities, exploited, affectedDevicesOnly, named } = filter
  const ranks = SEVERITIES.flatMap((severity, index) =>
    (severities?.includes(severity) ?? true) ? [SEVERITIES.length - index] : [],
  )
  const used = [...new Set(magnitudes.values())].toSorted((a, b) => b - a)
  return [
    ...(exploited === false ? [] : [[1]]),
    ...(exploited === true
      ? []
      : [
          ...used.map((magnitude) => [0, magnitude]),
          ...(affectedDevicesOnly === true || named?.isRunning
            ? []
            : ranks.flatMap((rank) => [
                [0, 0, rank, 1],
                [0, 0, rank, 0],
              ])),
        ]),
  ]
}

const isUnscored = (place: Place, { sortColumn }: WorkspaceFindingQuery) =>
  (sortColumn === 'Risk' && place[3] === 0) || (sortColumn === 'EpssScore' && place[0] === 0)

/** Whether all vulnerabilities have EPSS scores: to find out by reading all matches takes long. */
async function hasAllScores(db: Db, { workspaceId }: WorkspaceFindingQuery): Promise<boolean> {
  const { rows } = await sql`
    select from workspace_vulnerabilities as match
    where match.workspace_id = ${workspaceId} and ${hasNoEpss} limit 1`.execute(db)
  return rows.length === 0
}

/** Whether all rows of the stage come before the cursor. */
function isPassed(place: Place, query: WorkspaceFindingQuery): boolean {
  const { after, ascending } = query
  if (after === undefined) return false
  const reached = reachedPlace(after.map(Number), query)
  for (const [index, value] of place.entries()) {
    const other = reached[index] ?? 0
    if (value !== other) return ascending ? value < other : value > other
  }
  return false
}

function reachedPlace(values: readonly number[], { sortColumn }: WorkspaceFindingQuery): Place {
  const [first = 0, magnitude = 0, rank = 0, epss = 0] = values
  if (sortColumn === 'EpssScore') return [first < 0 ? 0 : 1]
  return [first, magnitude, rank, epss < 0 ? 0 : 1]
}

const STAGED = new Set<WorkspaceSortColumn>(['Risk', 'EpssScore', 'KnownCisaExploit'])

/** What rows of one package have in common: the packages are put in order, and their matches are read until the page is full. */
const OF_PACKAGE: Partial<Record<WorkspaceSortColumn, SortKey>> = {
  ComponentName: { value: sql.ref('componentName'), type: types.text },
  ComponentVersion: {
    value: sql`coalesce(component_version, '') collate "C"`,
    type: types.text,
  },
  FirmwareVersionCount: { value: sql.ref('versionCount'), type: types.integer },
}

/** What the workspace keeps of the vulnerabilities of components is in this order. */
function componentOrder(query: WorkspaceFindingQuery): KeptOrder | undefined {
  const { workspaceId, sortColumn, ascending, after, filter } = query
  if (sortColumn !== 'ComponentName' || filter.components) return undefined
  const direction = ascending ? sql`asc` : sql`desc`
  const states = statesMeant(filter)
  const reached =
    after === undefined
      ? sql``
      : sql`and (held.component_name, held.vulnerability_id) ${ascending ? sql`>=` : sql`<=`} (${after[0]}, ${after[1]})`
  return {
    keys: [
      { value: sql.ref('place.componentName'), type: types.text },
      { value: sql.ref('place.vulnerabilityId'), type: types.text },
      { value: sql.ref('match.packageId'), type: types.uuid },
    ],
    places: sql`
        select held.component_name, held.vulnerability_id
        from workspace_component_vulnerabilities as held
        where held.workspace_id = ${workspaceId} ${states ? sql`and held.states & ${states} <> 0` : sql``} ${reached}
        order by held.component_name ${direction}, held.vulnerability_id ${direction}`,
    of: sql`and kept.vulnerability_id = place.vulnerability_id and exists (
        select from workspace_packages as owned
        where owned.workspace_id = ${workspaceId} and owned.package_id = kept.package_id
          and owned.component_name = place.component_name offset 0)`,
  }
}

function packageOrder(query: WorkspaceFindingQuery): KeptOrder | undefined {
  const { workspaceId, sortColumn, ascending, after } = query
  const key = OF_PACKAGE[sortColumn]
  if (!key) return undefined
  const direction = ascending ? sql`asc` : sql`desc`
  const reached =
    after === undefined
      ? sql``
      : sql`and ${key.value} ${ascending ? sql`>=` : sql`<=`} ${after[0]}::${key.type}`
  return {
    keys: [{ ...key, value: sql`place.sort_key` }, ...ID],
    places: sql`
        select package_id, ${key.value} as sort_key
        from workspace_packages as owned
        where owned.workspace_id = ${workspaceId} and owned.version_count > 0 ${packageConditions(query)} ${packagesDecided(query)}
          ${packagesNamed(query)}
          ${reached}
        order by sort_key ${direction}`,
    of: sql`and kept.package_id = place.package_id`,
    first: sql`match.vulnerability_id ${direction}`,
  }
}

function packagesNamed({ filter: { named } }: WorkspaceFindingQuery) {
  if (named?.isRunning) return sql`and owned.device_magnitude > 0`
  return named?.vulnerabilityIds.length === 0
    ? sql`and owned.package_id = any(${named.packageIds}::uuid[])`
    : sql``
}

/** What rows of one vulnerability have in common, of `match`, a row of `workspace_vulnerabilities`. */
const OF_VULNERABILITY: Partial<Record<WorkspaceSortColumn, readonly SortKey[]>> = {
  Severity: [severityRank, score],
  CvssScore: [score],
  EpssScore: [epssKey],
  CveId: [],
  Name: [{ value: sql.ref('match.name'), type: types.text }],
  KnownCisaExploit: [
    {
      value: sql`(match.vulnerability_id in (select id from vulnerabilities where is_known_exploit))::integer`,
      type: types.integer,
    },
  ],
}

/** The vulnerabilities of the workspace that the filter leaves, in order, then the rows of each until the page is full. */
function vulnerabilityOrder(query: WorkspaceFindingQuery): KeptOrder | undefined {
  const { sortColumn, ascending, after } = query
  const keys = OF_VULNERABILITY[sortColumn]
  // The rows do not tell what the components of their packages are.
  if (!keys || query.filter.components) return undefined
  const { detectedSince: _, ...filter } = query.filter
  const direction = ascending ? sql`asc` : sql`desc`
  const names = [...keys.map((_key, place) => `key_${place}`), 'id'].map((name) => sql.ref(name))
  const { type } = keys[0] ?? { type: types.text }
  const reached =
    after === undefined
      ? sql``
      : sql`where ${names[0]} ${ascending ? sql`>=` : sql`<=`} ${after[0]}::${type}`
  return {
    keys: [
      ...keys.map((key, place) => ({ ...key, value: sql.ref(`place.key_${place}`) })),
      { value: sql.ref('place.id'), type: types.text },
      { value: sql.ref('match.packageId'), type: types.uuid },
    ],
    places: sql`
        with ${keptVulnerabilities({ ...query, filter })}
        select * from (
          select match.vulnerability_id as id ${sql.join(
            keys.map(({ value }, place) => sql`, ${value} as ${sql.ref(`key_${place}`)}`),
            sql``,
          )}
          from chosen as match cross join lateral (select match.epss_score as score) as epss
        ) as each ${reached}
        order by ${sql.join(names.map((name) => sql`${name} ${direction}`))}`,
    of: sql`and kept.vulnerability_id = place.id`,
  }
}

/** An index of the rows themselves has this order. */
const timeOrder = ({ sortColumn, filter }: WorkspaceFindingQuery): KeptOrder | undefined =>
  sortColumn === 'DetectedAt' && filter.components === undefined
    ? { keys: [{ value: sql.ref('match.detectedAt'), type: types.time }, ...ID] }
    : undefined

function keptOrder(query: WorkspaceFindingQuery): KeptOrder | undefined {
  const isTold = findingCondition(query) === undefined || asksKeptDecisions(query)
  if (!isWhole(query) || isSelective(query) || !isTold) return undefined
  return (
    componentOrder(query) ?? packageOrder(query) ?? timeOrder(query) ?? vulnerabilityOrder(query)
  )
}

export async function listRows(db: Db, query: WorkspaceFindingQuery): Promise<WorkspaceRow[]> {
  const inOrder = keptOrder(query)
  if (inOrder) return listKeptRows(db, query, inOrder)
  const isStaged = STAGED.has(query.sortColumn) && query.filter.cveIds === undefined
  if (!isStaged || !isRowByRow(query)) return listWorkspaceRows(db, query)
  const places = placesOf(query)
  let rows: WorkspaceRow[] = []
  let isAllScored: boolean | undefined
  for (const place of query.ascending ? places.toReversed() : places) {
    if (rows.length >= query.limit) break
    if (isPassed(place, query)) continue
    if (isUnscored(place, query) && (isAllScored ??= await hasAllScores(db, query))) continue
    const rest = { ...query, limit: query.limit - rows.length }
    rows = rows.concat(await listWorkspaceRows(db, rest, stageOf(place, query)))
  }
  return rows
}

/** Whether what the workspace keeps of its matches and vulnerabilities tells all that the filter asks, best of all ways. */
function isCountedAsKept(query: WorkspaceFindingQuery): boolean {
  const { name, components, named, packageIds } = query.filter
  if (name ?? components ?? packageIds ?? named?.isBroad === false) return false
  if (!isWhole(query) || isOfFewDecided(query) || isOfFewRecent(query)) return false
  return findingCondition(query) === undefined || asksKeptDecisions(query)
}

/** Counts the rows of the list, `most` at the most. */
export async function countWorkspaceRows(
  db: Db,
  query: WorkspaceFindingQuery,
  most: number,
): Promise<number> {
  if (isCountedAsKept(query)) return countKeptRows(db, query, most)
  // An order without joins of its own.
  const asked = { ...query, sortColumn: 'CveId' as const, isFewDecided: true, isFewSince: true }
  const { rows } = await sql<{ count: number }>`
    ${isRowByRow(asked) ? sql`` : sql`with ${allPackages(asked)}`}
    select count(*)::int as count from (select ${selected(asked)} limit ${most}) as counted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** The same, of what the workspace keeps: the vulnerabilities that the filter leaves, and the rows of each. */
async function countKeptRows(db: Db, query: WorkspaceFindingQuery, most: number): Promise<number> {
  const { detectedSince: _, ...filter } = query.filter
  const { severities: _ofVulnerability, ...ofMatches } = query.filter
  const asked = { ...query, filter: ofMatches }
  const matches = keptMatches(asked, sql`and kept.vulnerability_id = place.vulnerability_id`)
  const { rows } = await sql<{ count: number }>`
    with ${keptVulnerabilities({ ...query, filter })}
    select count(*)::int as count from (
      select from chosen as place cross join lateral (select from ${matches} offset 0) as match limit ${most}
    ) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

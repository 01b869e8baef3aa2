/**
 * Orders that no index has. The rows of a workspace are read in stages: within each of them an index has the order, or the
 * rows are few. By risk: known exploits first, then by the magnitude of the number of devices, by severity, by EPSS score, by
 * CVSS score. By EPSS score: those with a score, then those without. By known exploit: these, then all others. By what
 * belongs to the package: package by package.
 */
import { sql } from 'kysely'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { isListedExploitAt } from '../as-of-store.ts'
import type { WorkspaceSortColumn } from '../assessment.ts'
import { score, severityRank, type SortKey, types } from '../list/store.ts'
import { ownedFactOfRow, type WorkspaceFindingQuery } from './facts-store.ts'
import { isWhole, packageConditions } from './filter-store.ts'
import { asksKeptDecisions, hasStates, packagesDecided } from './finding-filter-store.ts'
import { statesMeant } from './states-store.ts'
import {
  epssKey,
  isOfFewDecided,
  isOfFewExploited,
  isOfFewRecent,
  isRowByRow,
  listWorkspaceRows,
  matchesOfExploited,
  matchOf,
  nameOf,
  runningPackages,
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
  const { severities, exploited, affectedDevicesOnly } = filter
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
          ...(affectedDevicesOnly === true
            ? []
            : ranks.flatMap((rank) => [
                [0, 0, rank, 1],
                [0, 0, rank, 0],
              ])),
        ]),
  ]
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

/** High and Medium are frequent everywhere. An index finds the others, if they are few. */
const isOfRareSeverities = ({ filter: { severities } }: WorkspaceFindingQuery) =>
  severities !== undefined && !severities.includes('High') && !severities.includes('Medium')

/** Of a filter that few rows meet, all are read. */
function isSelective(query: WorkspaceFindingQuery): boolean {
  const { cveIds, name, named, recheck } = query.filter
  if (named?.isBroad === false || isOfFewExploited(query)) return true
  if (isOfFewRecent(query) || isOfFewDecided(query) || isOfRareSeverities(query)) return true
  return (cveIds ?? name ?? recheck) !== undefined
}

function packageStage(query: WorkspaceFindingQuery): Stage | undefined {
  const { workspaceId, sortColumn, ascending, after } = query
  const key = OF_PACKAGE[sortColumn]
  if (!key || isSelective(query) || !isWhole(query)) return undefined
  const direction = ascending ? sql`asc` : sql`desc`
  const reached =
    after === undefined
      ? sql``
      : sql`and ${key.value} ${ascending ? sql`>=` : sql`<=`} ${after[0]}::${key.type}`
  return {
    keys: [{ ...key, value: sql`fact.sort_key` }],
    joins: sql``,
    where: sql``,
    isByPackage: true,
    source: sql`(
        select package_id, component_name, component_version, version_count, ${key.value} as sort_key
        from workspace_packages as owned
        where owned.workspace_id = ${workspaceId} and owned.version_count > 0 ${packageConditions(query)} ${packagesDecided(query)}
          ${packagesNamed(query)}
          ${reached}
        order by sort_key ${direction}
      ) as fact`,
  }
}

const packagesNamed = ({ filter: { named } }: WorkspaceFindingQuery) =>
  named?.vulnerabilityIds.length === 0
    ? sql`and owned.package_id = any(${named.packageIds}::uuid[])`
    : sql``

const OF_KEPT: readonly SortKey[] = [
  { value: sql.ref('kept.vulnerabilityId'), type: types.text },
  { value: sql.ref('kept.packageId'), type: types.uuid },
]
/** Orders of the rows that the workspace keeps: its other rows, and those of other workspaces, are not read. */
const OF_ROWS: Partial<Record<WorkspaceSortColumn, readonly SortKey[]>> = {
  CveId: [],
  DetectedAt: [{ value: sql.ref('kept.detectedAt'), type: types.time }],
}

/** The vulnerabilities of the workspace in the order of their names, then the rows of each. */
function nameStage(query: WorkspaceFindingQuery): Stage | undefined {
  const { workspaceId, sortColumn, ascending, after } = query
  if (sortColumn !== 'Name' || isSelective(query) || !isWhole(query)) return undefined
  const name = sql`known.name collate "C"`
  const isDecided = asksKeptDecisions(query)
  const states = statesMeant(query.filter)
  const direction = ascending ? sql`asc` : sql`desc`
  const reached =
    after === undefined ? sql`` : sql`and ${name} ${ascending ? sql`>=` : sql`<=`} ${after[0]}`
  return {
    keys: [{ value: sql.ref('called.name'), type: types.text }],
    id: [
      { value: sql.ref('called.id'), type: types.text },
      { value: sql.ref('kept.packageId'), type: types.uuid },
    ],
    joins: sql``,
    where: sql``,
    isDecided,
    source: sql`(
        select known.id, ${name} as name
        from workspace_vulnerabilities as counted ${nameOf(sql`counted`)}
        where counted.workspace_id = ${workspaceId} and counted.finding_count > 0
          ${isDecided && states ? sql`and counted.states & ${states} <> 0` : sql``} ${reached}
        order by 2 ${direction}, 1 ${direction}
      ) as called
      cross join lateral (
        select each.* from workspace_matches as each
        where each.workspace_id = ${workspaceId} and each.vulnerability_id = called.id ${hasStates(query, sql`each`)} offset 0
      ) as kept ${matchOf(sql`kept`, sql`match`)} ${ownedFactOfRow(query)}`,
  }
}

function keptStage(query: WorkspaceFindingQuery): Stage | undefined {
  const { workspaceId, sortColumn } = query
  const keys = OF_ROWS[sortColumn]
  if (!keys || isSelective(query) || !isWhole(query)) return undefined
  return {
    keys,
    id: OF_KEPT,
    joins: sql``,
    where: sql`and kept.workspace_id = ${workspaceId} ${hasStates(query, sql`kept`)}`,
    isDecided: asksKeptDecisions(query),
    source: sql`workspace_matches as kept ${matchOf(sql`kept`, sql`match`)} ${ownedFactOfRow(query)}`,
  }
}

export async function listRows(db: Db, query: WorkspaceFindingQuery): Promise<WorkspaceRow[]> {
  const inOrder = packageStage(query) ?? keptStage(query) ?? nameStage(query)
  if (inOrder) return listWorkspaceRows(db, query, inOrder)
  if (!STAGED.has(query.sortColumn) || !isRowByRow(query)) return listWorkspaceRows(db, query)
  const places = placesOf(query)
  const rows: WorkspaceRow[] = []
  for (const place of query.ascending ? places.toReversed() : places) {
    if (rows.length >= query.limit) break
    if (isPassed(place, query)) continue
    const rest = { ...query, limit: query.limit - rows.length }
    rows.push(...(await listWorkspaceRows(db, rest, stageOf(place, query))))
  }
  return rows
}

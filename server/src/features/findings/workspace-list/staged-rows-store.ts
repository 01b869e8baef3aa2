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
import { runningPackages, type WorkspaceFindingQuery } from './facts-store.ts'
import { isWhole, packageConditions } from './filter-store.ts'
import { asksKeptDecisions, findingCondition, packagesDecided } from './finding-filter-store.ts'
import { keptVulnerabilities } from './store.ts'
import {
  epssKey,
  isOfFewDecided,
  isOfFewExploited,
  isOfFewRecent,
  isRowByRow,
  ID,
  type KeptOrder,
  listKeptRows,
  listWorkspaceRows,
  matchesOfExploited,
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
    places: sql`(
        select package_id, ${key.value} as sort_key
        from workspace_packages as owned
        where owned.workspace_id = ${workspaceId} and owned.version_count > 0 ${packageConditions(query)} ${packagesDecided(query)}
          ${packagesNamed(query)}
          ${reached}
        order by sort_key ${direction}
      )`,
    of: sql`and kept.package_id = place.package_id`,
    first: sql`match.vulnerability_id ${direction}`,
  }
}

const packagesNamed = ({ filter: { named } }: WorkspaceFindingQuery) =>
  named?.vulnerabilityIds.length === 0
    ? sql`and owned.package_id = any(${named.packageIds}::uuid[])`
    : sql``

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
    places: sql`(
        with ${keptVulnerabilities({ ...query, filter })}
        select * from (
          select match.vulnerability_id as id ${sql.join(
            keys.map(({ value }, place) => sql`, ${value} as ${sql.ref(`key_${place}`)}`),
            sql``,
          )}
          from chosen as match ${sortColumn === 'EpssScore' ? perhapsScored : sql``}
        ) as each ${reached}
        order by ${sql.join(names.map((name) => sql`${name} ${direction}`))}
      )`,
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
  return packageOrder(query) ?? timeOrder(query) ?? vulnerabilityOrder(query)
}

export async function listRows(db: Db, query: WorkspaceFindingQuery): Promise<WorkspaceRow[]> {
  const inOrder = keptOrder(query)
  if (inOrder) return listKeptRows(db, query, inOrder)
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

/**
 * The order by risk: known exploits first, then by the magnitude of the number of devices, by severity, by EPSS score, by
 * CVSS score. No index has this order. The rows of a workspace are read in stages: within each of them an index has the
 * order, or the rows are few.
 */
import { sql } from 'kysely'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { score, severityRank, types } from '../list/store.ts'
import {
  type DeviceMagnitudes,
  epssKey,
  isRowByRow,
  listWorkspaceRows,
  type Stage,
  type WorkspaceFindingQuery,
  type WorkspaceRow,
} from './rows-store.ts'

/** Exploited, magnitude, rank of the severity, whether there is an EPSS score: as far as the stage determines them. */
type Place = readonly number[]

const constant = (value: number) => ({ value: sql`${value}::integer`, type: types.integer })
const scoredByEpss = sql`join epss_scores as epss on epss.cve_id = match.vulnerability_id`
const perhapsScored = sql`left ${scoredByEpss}`
const isExploited = sql`(select true from vulnerabilities as known
  where known.id = match.vulnerability_id and known.is_known_exploit limit 1) is true`
const hasNoEpss = sql`(select true from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1) is not true`

function stageOf(place: Place, query: WorkspaceFindingQuery): Stage {
  const [exploited, magnitude, rank, scored] = place
  const magnitudes = query.magnitudes ?? new Map<string, number>()
  if (exploited === 1)
    return {
      keys: [constant(1), magnitudeKey, severityRank, epssKey, score],
      joins: sql`${perhapsScored} ${running(magnitudes)}`,
      where: sql`and match.vulnerability_id in (select id from vulnerabilities where is_known_exploit)`,
    }
  const ofMagnitude = [...magnitudes].filter(([, each]) => each === magnitude).map(([id]) => id)
  if (rank === undefined)
    return {
      keys: [constant(0), constant(magnitude ?? 0), severityRank, epssKey, score],
      joins: perhapsScored,
      where: sql`and match.package_id = any(${ofMagnitude}::uuid[]) and not ${isExploited}`,
    }
  const withoutDevices =
    magnitudes.size === 0
      ? sql``
      : sql`and match.package_id <> all(${[...magnitudes.keys()]}::uuid[])`
  const rest = sql`${withoutDevices} and ${severityRank.value} = ${rank} and not ${isExploited}`
  const start = [constant(0), constant(0), constant(rank)]
  return scored === 1
    ? {
        keys: [...start, { value: sql`epss.score`, type: types.real }, score],
        joins: scoredByEpss,
        where: rest,
      }
    : {
        keys: [...start, { value: sql`'-1'::real`, type: types.real }, score],
        joins: sql``,
        where: sql`${rest} and ${hasNoEpss}`,
      }
}

const magnitudeKey = { value: sql`coalesce(running.magnitude, 0)`, type: types.integer }
const running = (magnitudes: DeviceMagnitudes) => sql`
  left join unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::int[])
    as running (package_id, magnitude) on running.package_id = match.package_id`

/** The stages that the filter leaves, worst first. */
function placesOf({ filter, magnitudes = new Map() }: WorkspaceFindingQuery): Place[] {
  const { severities, knownCisaExploit, affectedDevicesOnly } = filter
  const ranks = SEVERITIES.flatMap((severity, index) =>
    (severities?.includes(severity) ?? true) ? [SEVERITIES.length - index] : [],
  )
  const used = [...new Set(magnitudes.values())].toSorted((a, b) => b - a)
  return [
    ...(knownCisaExploit === false ? [] : [[1]]),
    ...(knownCisaExploit === true
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
function isPassed(place: Place, { after, ascending }: WorkspaceFindingQuery): boolean {
  if (after === undefined) return false
  const [exploited, magnitude, rank, epss] = after.map(Number)
  const reached = [exploited, magnitude, rank, (epss ?? 0) < 0 ? 0 : 1]
  for (const [index, value] of place.entries()) {
    const other = reached[index] ?? 0
    if (value !== other) return ascending ? value < other : value > other
  }
  return false
}

export async function listRowsByRisk(
  db: Db,
  query: WorkspaceFindingQuery,
): Promise<WorkspaceRow[]> {
  if (!isRowByRow(query)) return listWorkspaceRows(db, query)
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

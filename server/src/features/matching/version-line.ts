/** The affected ranges of a finding over one axis of versions, for people to look at. */
import type { VersionStatement } from '../../formats/advisories/model.ts'
import { compareVersions, isVersion } from '../../formats/versions/compare.ts'
import type { VersionScheme } from '../../formats/versions/schemes.ts'
import type { AffectedRow } from './affected-packages.ts'
import { listAffectedRanges } from './affected-ranges.ts'
import type { Evidence } from './evidence.ts'

export interface VersionLine {
  /** In ascending order; equal versions are one stop, under the name met first. */
  stops: { text: string; isOurs: boolean }[]
  /** One for each source that states ranges in the same ordering. */
  lanes: { source: AffectedRow['source']; stretches: Stretch[] }[]
}

interface Stretch {
  /** An index of `stops`; null: from before the first of them. */
  from: number | null
  /** null: until after the last of them. */
  to: number | null
  /** Whether `to` itself is affected: else it is the first version that is not. */
  isToAffected: boolean
}

interface Range {
  source: AffectedRow['source']
  from: string | null
  to: string | null
  isToAffected: boolean
}

/** More stops than these no eye tells apart: those nearest to ours stay. */
const MOST_STOPS = 11

/** undefined where there is nothing to draw: no version of ours, or no ranges in its ordering. */
export function drawVersionLine(
  rows: readonly AffectedRow[],
  evidence: readonly Evidence[],
): VersionLine | undefined {
  const matched = evidence.find(({ verdict }) => verdict === 'affected')
  if (!matched || !isVersion(matched.comparator, matched.version)) return undefined
  const { comparator: scheme, version: ours } = matched
  const ranges = listRanges(rows, scheme)
  if (ranges.length === 0) return undefined
  const all = listStops(scheme, [ours, ...ranges.flatMap(({ from, to }) => [from, to])])
  const stops = nearest(all, findStopIndex(scheme, all, ours) ?? 0)
  const lanes = [...Map.groupBy(ranges, ({ source }) => source)].map(([source, own]) => ({
    source,
    stretches: own.flatMap((range) => findStretch(scheme, stops, range)),
  }))
  return { stops: stops.map((text) => ({ text, isOurs: text === ours })), lanes }
}

function listRanges(rows: readonly AffectedRow[], scheme: VersionScheme): Range[] {
  const ranges = rows.flatMap(({ source, statements }) =>
    statements
      .filter((statement) => statement.scheme === scheme)
      .flatMap((statement) =>
        listAffectedRanges(statement).flatMap((entry) => listBounds(source, entry)),
      ),
  )
  const usable = ranges.filter(({ from, to }) => isBound(scheme, from) && isBound(scheme, to))
  return [...new Map(usable.map((range) => [JSON.stringify(range), range])).values()]
}

function isBound(scheme: VersionScheme, text: string | null): boolean {
  return text === null || isVersion(scheme, text)
}

function listBounds(source: Range['source'], entry: VersionStatement): Range[] {
  if (entry.versions)
    return entry.versions.map((version) => ({
      source,
      from: version,
      to: version,
      isToAffected: true,
    }))
  const { introduced, introducedAfter, fixed, lastAffected } = entry
  const from = introduced === '0' ? null : (introduced ?? introducedAfter ?? null)
  return [{ source, from, to: fixed ?? lastAffected ?? null, isToAffected: fixed === undefined }]
}

/** Each version once, in ascending order. */
function listStops(scheme: VersionScheme, texts: readonly (string | null)[]): string[] {
  const stops: string[] = []
  for (const text of texts)
    if (text !== null && findStopIndex(scheme, stops, text) === undefined) stops.push(text)
  return stops.toSorted((a, b) => compareVersions(scheme, a, b) ?? 0)
}

function findStopIndex(
  scheme: VersionScheme,
  stops: readonly string[],
  text: string,
): number | undefined {
  const index = stops.findIndex((stop) => compareVersions(scheme, stop, text) === 0)
  return index < 0 ? undefined : index
}

function nearest(stops: readonly string[], ours: number): readonly string[] {
  const first = Math.max(0, Math.min(ours - Math.floor(MOST_STOPS / 2), stops.length - MOST_STOPS))
  return stops.slice(first, first + MOST_STOPS)
}

/** What of a range lies among the stops; nothing where all of it lies outside. */
function findStretch(scheme: VersionScheme, stops: readonly string[], range: Range): Stretch[] {
  const { from, to, isToAffected } = range
  const [first = '', last = ''] = [stops[0], stops.at(-1)]
  const isBefore = to !== null && (compareVersions(scheme, to, first) ?? 0) < 0
  const isAfter = from !== null && (compareVersions(scheme, from, last) ?? 0) > 0
  if (isBefore || isAfter) return []
  const at = (text: string | null) =>
    text === null ? null : (findStopIndex(scheme, stops, text) ?? null)
  return [{ from: at(from), to: at(to), isToAffected }]
}

/** The affected ranges of a finding over one axis of versions, for people to look at. */
import type { VersionStatement } from '../../formats/advisories/model.ts'
import { compareVersions, isVersion } from '../../formats/versions/compare.ts'
import type { VersionScheme } from '../../formats/versions/schemes.ts'
import { type AffectedRow, listFixedVersions } from './affected-packages.ts'
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

export interface FleetLine {
  stops: string[]
  lanes: VersionLine['lanes']
  /** Ranges that hold none of ours, as those of other branches: they are left out. */
  otherRangeCount: number
  /** The first versions after ours that are not affected, each for the branch of one of ours. */
  fixedVersions: string[]
  /** The stop of each of ours; undefined: it cannot be ordered, or there was no room. */
  placeOf: (version: string) => number | undefined
}

export interface OwnVersions {
  scheme: VersionScheme
  /** Those that matter most first. */
  affected: readonly string[]
  fixed: readonly string[]
}

/** More versions of ours than these stand on no line. */
const MOST_OURS = 14

/** The same for many versions of ours: only the ranges that hold one of them are drawn, with both ends. */
export function drawFleetLine(
  rows: readonly AffectedRow[],
  { scheme, affected, fixed }: OwnVersions,
): FleetLine | undefined {
  const isUsable = (text: string) => isVersion(scheme, text)
  const held = [...new Set(affected)].filter(isUsable)
  const all = listRanges(rows, scheme)
  const ranges = all.filter((range) => held.some((version) => isWithin(scheme, version, range)))
  if (held.length === 0 || ranges.length === 0) return undefined
  const ours = [...held.slice(0, MOST_OURS - 4), ...new Set(fixed.filter(isUsable))]
  const shown = ours.slice(0, MOST_OURS)
  const bounds = ranges.flatMap(({ from, to }) => [from, to])
  const stops = listStops(scheme, [...shown, ...bounds])
  const lanes = [...Map.groupBy(ranges, ({ source }) => source)].map(([source, own]) => ({
    source,
    stretches: own.flatMap((range) => findStretch(scheme, stops, range)),
  }))
  const fixes = held.flatMap((version) => findFix(scheme, version, { rows, ranges }) ?? [])
  return {
    stops,
    lanes,
    otherRangeCount: all.length - ranges.length,
    fixedVersions: listStops(scheme, fixes),
    placeOf: (version) => (isUsable(version) ? findStopIndex(scheme, stops, version) : undefined),
  }
}

function isWithin(scheme: VersionScheme, version: string, { from, to, isToAffected }: Range) {
  const isAfter = from === null || (compareVersions(scheme, version, from) ?? -1) >= 0
  const end = to === null ? -1 : (compareVersions(scheme, version, to) ?? 1)
  return isAfter && (end < 0 || (isToAffected && end === 0))
}

/** The end of a range that holds the version, where records name it as fixed; else the next fix that they name. */
function findFix(
  scheme: VersionScheme,
  version: string,
  { rows, ranges }: { rows: readonly AffectedRow[]; ranges: readonly Range[] },
): string | undefined {
  const named = listFixedVersions(rows, version)
  const ends = ranges
    .filter((range) => isWithin(scheme, version, range) && !range.isToAffected)
    .flatMap(({ to }) => to ?? [])
  const isEnd = new Set(ends)
  return named.find((fix) => isEnd.has(fix)) ?? named[0]
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

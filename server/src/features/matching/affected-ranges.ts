/** Finds the affected version ranges of a statement, also of one that lists the versions that are not affected. */
import type { AffectedStatement, VersionStatement } from '../../formats/advisories/model.ts'
import { compareVersions } from '../../formats/versions/compare.ts'

type Bounds = Pick<VersionStatement, 'introduced' | 'introducedAfter' | 'fixed' | 'lastAffected'>

/**
 * The affected entries of a statement. If its default is `affected` (the kernel's records), the gaps between its
 * unaffected ranges are affected too, unless these ranges cannot be put in order.
 */
export function listAffectedRanges(statement: AffectedStatement): VersionStatement[] {
  const { defaultStatus, versions } = statement
  const said = versions.filter(({ status }) => status === 'affected')
  if (defaultStatus !== 'affected') return said
  const gaps = listGaps(statement)
  if (gaps === undefined) return said
  const rest = gaps.map((bounds) => ({ status: 'affected' as const, text: '', ...bounds }))
  return [...rest, ...said.filter((entry) => !isWithin(entry, gaps, statement))]
}

/** undefined: the unaffected entries cannot be ordered, or are not ranges. */
function listGaps({ scheme, versions }: AffectedStatement): Bounds[] | undefined {
  const others = versions.filter(({ status }) => status !== 'affected')
  if (others.some((entry) => entry.versions ?? entry.cpe)) return undefined
  const bounds = others.flatMap((entry) =>
    [readStart(entry), readEnd(entry)].flatMap((at) => at ?? []),
  )
  if (bounds.some(({ version }) => compareVersions(scheme, version, version) === undefined))
    return undefined
  const byStart = others
    .map((entry) => ({ start: readStart(entry), end: readEnd(entry) }))
    .toSorted((a, b) => order(scheme, a.start, b.start))
  const gaps: Bounds[] = []
  // The end of what the ranges cover so far; undefined: they cover nothing yet.
  let covered: Point | undefined
  for (const { start, end } of byStart) {
    if (start && (!covered || order(scheme, covered, start) < 0)) gaps.push(between(covered, start))
    if (end === undefined) return gaps
    if (!covered || order(scheme, covered, end) < 0) covered = end
  }
  return [...gaps, between(covered, undefined)]
}

/** A point in the order of versions: right before a version, or right after it. */
interface Point {
  version: string
  isAfter: boolean
}

function readStart({ introduced, introducedAfter }: Bounds): Point | undefined {
  if (introducedAfter !== undefined) return { version: introducedAfter, isAfter: true }
  if (introduced === undefined || introduced === '0') return undefined
  return { version: introduced, isAfter: false }
}

function readEnd({ fixed, lastAffected }: Bounds): Point | undefined {
  if (fixed !== undefined) return { version: fixed, isAfter: false }
  return lastAffected === undefined ? undefined : { version: lastAffected, isAfter: true }
}

/** undefined is the start of all versions, and comes first. */
function order(
  scheme: AffectedStatement['scheme'],
  a: Point | undefined,
  b: Point | undefined,
): number {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined)
  return (
    (compareVersions(scheme, a.version, b.version) ?? 0) || Number(a.isAfter) - Number(b.isAfter)
  )
}

function between(from: Point | undefined, to: Point | undefined): Bounds {
  return {
    ...(from && { [from.isAfter ? 'introducedAfter' : 'introduced']: from.version }),
    ...(to && { [to.isAfter ? 'lastAffected' : 'fixed']: to.version }),
  }
}

/** Whether the gaps cover an entry already. */
function isWithin(
  entry: VersionStatement,
  gaps: readonly Bounds[],
  { scheme }: AffectedStatement,
): boolean {
  const isCovered = (from: Point | undefined, to: Point | undefined) =>
    gaps.some((gap) => {
      const end = readEnd(gap)
      const isBeforeEnd = !end || (to !== undefined && order(scheme, to, end) <= 0)
      return order(scheme, readStart(gap), from) <= 0 && isBeforeEnd
    })
  if (!entry.versions) return isCovered(readStart(entry), readEnd(entry))
  return entry.versions.every((version) =>
    isCovered({ version, isAfter: false }, { version, isAfter: true }),
  )
}

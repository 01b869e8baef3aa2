/**
 * The smallest change for the worse that a test would have found in nine of ten cases: a test that found nothing says nothing of
 * smaller ones.
 */
import type { BeforeAfter, ChangedGroups, MetricKind } from './scale.ts'

export interface SmallestChange {
  /** In percent of what there would be without the update; of shares of devices in percentage points. Null: nothing to relate it to. */
  percent: number | null
  /** So many of the updated devices would have to show what hardly any shows. Null: it is told in percent. */
  devices: number | null
}

/** How surely the change would have been found, and the standard errors that this takes. */
const SEEN_SHARE = 0.9
const SEEN_ERRORS = 1.2816

/** Shifts in the worse direction. */
interface MarginFound {
  middle: number | null
  /** The end of the interval that decides. */
  least: number | null
  /** How many standard errors lie between both. */
  critical: number
  margin: number
  level: number
}

interface Changed extends ChangedGroups {
  kind: MetricKind
}

export function findSmallestChange(
  metric: Changed,
  found: MarginFound,
): { shift: number | null; devices: number | null } {
  if (metric.kind === 'Share')
    return { shift: null, devices: countLeastDevices(metric, found.level) }
  const isZero = isAlwaysZero(metric)
  const shift = isZero ? null : findSmallestShift(found)
  const isCounted = metric.kind === 'Count' || isZero
  return {
    shift,
    devices: shift === null && isCounted ? countLeastDevices(metric, found.level) : null,
  }
}

/** No percentage of it tells anything. */
function isAlwaysZero({ updated, waiting = [] }: ChangedGroups): boolean {
  return [...updated, ...waiting].every(({ before, after }) => before === 0 && after === 0)
}

/** What is above the margin by the error that the test allows for, and by the one that hides a change. */
function findSmallestShift({ middle, least, critical, margin }: MarginFound): number | null {
  if (middle === null || least === null || !Number.isFinite(critical)) return null
  // All devices stayed as they were: whatever is above the margin is seen.
  if (middle === least) return margin
  if (critical <= 0) return null
  const allowed = middle - least
  return margin + allowed * (1 + SEEN_ERRORS / critical)
}

/**
 * Of how many updated devices it would have to happen. Both groups are compared by Fisher's exact test, which the permutations of one
 * event a device are. Null: not even all of them would do.
 */
function countLeastDevices({ updated, waiting }: ChangedGroups, level: number): number | null {
  const shows = ({ before, after }: BeforeAfter) => after > before
  const sizes = { updated: updated.length, waiting: waiting?.length ?? 0 }
  const others = waiting?.filter(shows).length ?? 0
  let deciding = 1
  while (deciding <= sizes.updated && tailOfFisher(sizes, deciding, others) > level) deciding++
  if (deciding > sizes.updated) return null
  let devices = deciding
  while (
    devices < sizes.updated &&
    tailOfBinomial(sizes.updated, devices / sizes.updated, deciding) < SEEN_SHARE
  )
    devices++
  return devices
}

/** How likely so many or more of those that show it are updated ones, if chance alone says who shows it. */
function tailOfFisher(
  sizes: { updated: number; waiting: number },
  shown: number,
  others: number,
): number {
  const all = shown + others
  let tail = 0
  for (let count = shown; count <= Math.min(all, sizes.updated); count++)
    tail += Math.exp(
      logChoose(sizes.updated, count) +
        logChoose(sizes.waiting, all - count) -
        logChoose(sizes.updated + sizes.waiting, all),
    )
  return tail
}

function tailOfBinomial(size: number, share: number, least: number): number {
  let below = 0
  for (let count = 0; count < least; count++)
    below += Math.exp(
      logChoose(size, count) + count * Math.log(share) + (size - count) * Math.log1p(-share),
    )
  return 1 - below
}

function logChoose(size: number, count: number): number {
  if (count < 0 || count > size) return -Infinity
  return logFactorial(size) - logFactorial(count) - logFactorial(size - count)
}

/** Stirling's series, exact to 1e-9 from ten on. */
function logFactorial(value: number): number {
  if (value < 10) {
    let product = 1
    for (let factor = 2; factor <= value; factor++) product *= factor
    return Math.log(product)
  }
  const inverse = 1 / (value + 1)
  const next = value + 1
  return (
    (next - 0.5) * Math.log(next) -
    next +
    Math.log(2 * Math.PI) / 2 +
    inverse / 12 -
    inverse ** 3 / 360
  )
}

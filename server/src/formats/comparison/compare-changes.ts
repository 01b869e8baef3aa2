/**
 * Whether devices with an update do worse than those that wait.
 *
 * Each device counts as one value: its change, after the update against before it. Both groups are measured over the same hours, so what
 * the clock, the weather and the weekend do cancels out; and each device is compared with itself, so it does no harm when one group has
 * larger devices. The values are tested by `permutation.ts` on the scale of `scale.ts`. Several metrics at once are held to the
 * confidence together by the step-down procedure of Holm (Scandinavian Journal of Statistics 6, 1979).
 *
 * What must hold: devices do not influence each other; who got the update first was not chosen by how the metric was in the window before
 * (else it returns to its mean by itself); both windows leave out the update itself (its own restart, its own reconnection); and a phase is judged once, as
 * each further look would be a further chance of a false alarm.
 */
import {
  type ChanceDistribution,
  drawPermutations,
  drawSignFlips,
  measureAboveZero,
  measureApart,
} from './permutation.ts'
import { type ChangedGroups, chooseScale, type MetricKind, type Scale } from './scale.ts'
import { findSmallestChange, type SmallestChange } from './smallest-change.ts'

export type { BeforeAfter } from './scale.ts'

/** Smaller groups are too few to tell. */
export const LEAST_DEVICES = 20

export interface MetricChanges extends ChangedGroups {
  kind: MetricKind
  worse: 'Higher' | 'Lower'
  /** What is worse by less is accepted. */
  marginPercent: number
}

export interface ChangeComparison {
  verdict: 'Worse' | 'NotWorse' | 'TooFew'
  /**
   * By how much the updated ones are above those that wait, in percent of what they would be without the update; negative: below.
   * Null: there is nothing to relate it to, as where nothing happened before.
   */
  differencePercent: number | null
  /**
   * Differences that the same test does not exclude, each end by itself with the confidence at which the metric was judged. Null: no
   * end. All of it lies beyond the margin exactly where the verdict is Worse.
   */
  lowPercent: number | null
  highPercent: number | null
  /** How often chance alone would show as much where the update is just as bad as the margin accepts. Null: not tested. */
  pValue: number | null
  /** What the test would hardly have missed. Null: not tested. */
  smallest: SmallestChange | null
}

export interface Judgement {
  /** With which none of the metrics is called worse wrongly. */
  confidencePercent: number
  seed: number
}

/** One metric by itself. */
export function compareChanges(metric: MetricChanges, judgement: Judgement): ChangeComparison {
  return judgeAll([metric], judgement)[0] ?? TOO_FEW
}

/** The updated devices against themselves before: what the clock changes is taken for the update's doing. */
export function compareWithBefore(
  metric: Omit<MetricChanges, 'waiting'>,
  judgement: Judgement,
): ChangeComparison {
  return compareChanges({ ...metric, waiting: undefined }, judgement)
}

/** All metrics of a phase, in their order. Those with too few devices are not tested, and cost the others nothing. */
export function judgeAll(
  metrics: readonly MetricChanges[],
  { confidencePercent, seed }: Judgement,
): ChangeComparison[] {
  if (!(confidencePercent > 0 && confidencePercent < 100))
    throw new RangeError(`confidence ${confidencePercent} is not between 0 and 100 percent`)
  for (const metric of metrics) refuseInvalid(metric)
  const alpha = (100 - confidencePercent) / 100
  const enough = metrics.filter(hasEnough)
  const draws = countDraws(alpha / Math.max(1, enough.length))
  const tests = enough.map((metric) => testMargin(metric, { draws, seed }))
  const told = new Map(
    stepDown(tests, alpha).map(({ test, level }) => [test.metric, describeTest(test, level)]),
  )
  return metrics.map((metric) => told.get(metric) ?? TOO_FEW)
}

const TOO_FEW: ChangeComparison = {
  verdict: 'TooFew',
  differencePercent: null,
  lowPercent: null,
  highPercent: null,
  pValue: null,
  smallest: null,
}

function hasEnough({ updated, waiting }: MetricChanges): boolean {
  return updated.length >= LEAST_DEVICES && (waiting?.length ?? LEAST_DEVICES) >= LEAST_DEVICES
}

function refuseInvalid({ kind, worse, marginPercent, updated, waiting = [] }: MetricChanges): void {
  if (!(marginPercent >= 0) || marginPercent >= (worse === 'Lower' ? 100 : Infinity))
    throw new RangeError(`margin ${marginPercent} percent is out of range`)
  for (const { before, after } of [...updated, ...waiting]) {
    if (!Number.isFinite(before) || !Number.isFinite(after))
      throw new RangeError(`a value of a device is no finite number: ${before}, ${after}`)
    if (kind !== 'Level' && (before < 0 || after < 0))
      throw new RangeError(`a count of a device is negative: ${before}, ${after}`)
  }
}

/** Enough to tell the smallest probability that decides; the statistic itself makes the number round. */
function countDraws(smallest: number): number {
  return Math.max(4_999, Math.ceil(10 / smallest) - 1)
}

/** Shifts are counted in the worse direction. */
interface MarginTest {
  metric: MetricChanges
  scale: Scale
  direction: 1 | -1
  chance: ChanceDistribution
  pValue: number
}

function testMargin(metric: MetricChanges, sampling: { draws: number; seed: number }): MarginTest {
  const scale = chooseScale(metric.kind, metric)
  const direction = metric.worse === 'Higher' ? 1 : -1
  const shift = scale.shiftOf((direction * metric.marginPercent) / 100)
  const { first, second } = freeOfShift({ metric, scale, direction }, shift)
  const chance = second ? drawPermutations(first, second, sampling) : drawSignFlips(first, sampling)
  const pValue = chance.tailOf(measure({ first, second }))
  return { metric, scale, direction, chance, pValue }
}

interface Worsenings {
  first: readonly number[]
  second: readonly number[] | undefined
}

/** How much worse each device became, the updated ones freed of a shift. */
function freeOfShift(
  { metric, scale, direction }: Pick<MarginTest, 'metric' | 'scale' | 'direction'>,
  shift: number,
): Worsenings {
  const { updated, waiting } = scale.changesOf(metric, shift)
  const turn = (changes: readonly number[]) => changes.map((change) => direction * change)
  return { first: turn(updated), second: metric.waiting && turn(waiting) }
}

function measure({ first, second }: Worsenings): number {
  return second ? measureApart(first, second) : measureAboveZero(first)
}

/** At which level each test is decided: the most certain one at the strictest, all after the first that is not worse at that one's. */
function stepDown(
  tests: readonly MarginTest[],
  alpha: number,
): { test: MarginTest; level: number }[] {
  let left = tests.length
  let isGoingOn = true
  return tests
    .toSorted((one, other) => one.pValue - other.pValue)
    .map((test) => {
      const level = alpha / left
      isGoingOn &&= test.pValue <= level
      if (isGoingOn) left--
      return { test, level }
    })
}

function describeTest(test: MarginTest, level: number): ChangeComparison {
  const { metric, scale, direction, chance, pValue } = test
  const percentOf = (shift: number | null) => {
    const share = shift === null ? null : scale.shareOf(direction * shift)
    return share === null ? null : share * 100
  }
  const critical = chance.upperBound(level)
  const [middle, least] = [findShift(test, 0), findShift(test, critical)]
  const most = findShift(test, chance.lowerBound(level))
  const margin = direction * scale.shiftOf((direction * metric.marginPercent) / 100)
  const smallest = findSmallestChange(metric, { middle, least, critical, margin, level })
  return {
    verdict: pValue <= level ? 'Worse' : 'NotWorse',
    differencePercent: percentOf(middle),
    lowPercent: percentOf(direction === 1 ? least : most),
    highPercent: percentOf(direction === 1 ? most : least),
    pValue,
    smallest: { percent: absolute(percentOf(smallest.shift)), devices: smallest.devices },
  }
}

const absolute = (percent: number | null) => (percent === null ? null : Math.abs(percent))

/** The shift in the worse direction at which the statistic falls to the wanted one; null: there is none. */
function findShift(test: MarginTest, wanted: number): number | null {
  const { scale, direction } = test
  const isAbove = (shift: number) => measure(freeOfShift(test, direction * shift)) > wanted
  let [low, high] = [-scale.mostShift, scale.mostShift]
  if (!isAbove(low) || isAbove(high)) return null
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (isAbove(middle)) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Which updated devices changed most for the worse, by their place in the list. */
export function findWorst(metric: MetricChanges, most: number): number[] {
  const direction = metric.worse === 'Higher' ? 1 : -1
  const scale = chooseScale(metric.kind, metric)
  return freeOfShift({ metric, scale, direction }, 0)
    .first.map((change, index) => ({ change, index }))
    .filter(({ change }) => change > 0)
    .toSorted((one, other) => other.change - one.change)
    .slice(0, most)
    .map(({ index }) => index)
}

/**
 * Tests that ask whether values lie above zero, or above those of another group, without a belief about how values are distributed.
 *
 * - Two groups: the studentised permutation test (Chung and Romano, Annals of Statistics 41, 2013). It is exact where both groups are
 *   distributed alike, and holds for large groups that spread differently, where a plain permutation test would not.
 * - One group: the studentised sign-flip test (Janssen, Statistics and Probability Letters 38, 1998). It is exact where values are
 *   distributed evenly about their mean, and holds for large groups where they are not.
 *
 * Both need values that do not influence each other.
 */

/** What the statistic would be by chance alone. */
export interface ChanceDistribution {
  /** How often chance alone reaches the statistic. */
  tailOf: (statistic: number) => number
  /** The statistic that chance alone exceeds with this probability at most; infinite where that cannot be told. */
  upperBound: (probability: number) => number
  /** The statistic that chance alone undercuts with this probability at most. */
  lowerBound: (probability: number) => number
}

/** From so many devices on that tell something, the permutations are normally distributed, and drawing them would only take time. */
const NORMAL_FROM = 1_000

/** Where nothing happened, nothing changed: three crashes in two thousand devices are three values. */
function countTelling(...groups: (readonly number[])[]): number {
  return groups.reduce(
    (sum, values) => sum + values.filter((value) => Math.abs(value) > TIE).length,
    0,
  )
}

/** An infinite statistic (no spread at all) would make differences of statistics undefined. */
const MOST = 1e9

/** By how much equal statistics may differ, as sums depend on their order. */
const TIE = 1e-9

/** By how much the mean of the first group lies above that of the second, in standard errors. */
export function measureApart(first: Iterable<number>, second: Iterable<number>): number {
  const [one, other] = [summarise(first), summarise(second)]
  return divide(
    one.mean - other.mean,
    Math.sqrt(one.variance / one.size + other.variance / other.size),
  )
}

/** By how much the mean lies above zero, in standard errors. */
export function measureAboveZero(values: Iterable<number>): number {
  const { mean, variance, size } = summarise(values)
  return divide(mean, Math.sqrt(variance / size))
}

function summarise(values: Iterable<number>) {
  const list = [...values]
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length
  const squares = list.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, variance: squares / (list.length - 1), size: list.length }
}

function divide(difference: number, spread: number): number {
  // Rounding leaves a little of what is zero.
  if (Math.abs(difference) < 1e-12) return 0
  return Math.max(-MOST, Math.min(MOST, difference / spread))
}

/** The statistic of `measureApart` when devices change groups at random. */
export function drawPermutations(
  first: readonly number[],
  second: readonly number[],
  { draws, seed }: { draws: number; seed: number },
): ChanceDistribution {
  const [smaller, larger] = first.length <= second.length ? [first, second] : [second, first]
  if (smaller.length >= NORMAL_FROM && countTelling(first, second) >= NORMAL_FROM) return NORMAL
  const sign = smaller === first ? 1 : -1
  // In order, so that the order of the devices does not matter; about the mean, so that squares lose no digits.
  const all = centre([...sortAscending(smaller), ...sortAscending(larger)])
  const total = { sum: sum(all), squares: sumSquares(all) }
  const next = createRandom(seed)
  const statistics = new Float64Array(draws)
  for (let draw = 0; draw < draws; draw++) {
    const part = drawPart(all, smaller.length, next)
    statistics[draw] = sign * measureSums(part, smaller.length, total, all.length)
  }
  return describeDraws(statistics)
}

interface Sums {
  sum: number
  squares: number
}

/** Brings as many random values to the front, and sums them. */
function drawPart(all: Float64Array, size: number, next: () => number): Sums {
  const part = { sum: 0, squares: 0 }
  for (let index = 0; index < size; index++) {
    const other = index + Math.floor(next() * (all.length - index))
    const value = all[other] ?? Number.NaN
    all[other] = all[index] ?? Number.NaN
    all[index] = value
    part.sum += value
    part.squares += value * value
  }
  return part
}

function measureSums(part: Sums, size: number, total: Sums, totalSize: number): number {
  const restSize = totalSize - size
  const mean = part.sum / size
  const restMean = (total.sum - part.sum) / restSize
  const squares = Math.max(0, part.squares - size * mean ** 2)
  const restSquares = Math.max(0, total.squares - part.squares - restSize * restMean ** 2)
  const spread = squares / (size - 1) / size + restSquares / (restSize - 1) / restSize
  return divide(mean - restMean, Math.sqrt(spread))
}

/** The statistic of `measureAboveZero` when each value may as well have the other sign. */
export function drawSignFlips(
  values: readonly number[],
  { draws, seed }: { draws: number; seed: number },
): ChanceDistribution {
  if (values.length >= NORMAL_FROM && countTelling(values) >= NORMAL_FROM) return NORMAL
  const all = Float64Array.from(sortAscending(values))
  const size = all.length
  const squares = sumSquares(all)
  const next = createRandom(seed)
  const statistics = new Float64Array(draws)
  for (let draw = 0; draw < draws; draw++) {
    let flipped = 0
    for (const value of all) flipped += next() < 0.5 ? value : -value
    const mean = flipped / size
    const spread = Math.max(0, squares - size * mean ** 2) / (size - 1) / size
    statistics[draw] = divide(mean, Math.sqrt(spread))
  }
  return describeDraws(statistics)
}

function describeDraws(statistics: Float64Array): ChanceDistribution {
  const sorted = statistics.toSorted()
  const { length } = sorted
  // The statistic itself counts as one of the draws, so that chance is never said to be impossible.
  const rankOf = (probability: number) => Math.floor(probability * (length + 1) + TIE)
  return {
    tailOf: (statistic) => {
      const least = statistic - TIE * Math.max(1, Math.abs(statistic))
      return (1 + length - countBelow(sorted, least)) / (length + 1)
    },
    upperBound: (probability) => sorted[length - rankOf(probability)] ?? Infinity,
    lowerBound: (probability) => sorted[rankOf(probability) - 1] ?? -Infinity,
  }
}

function countBelow(sorted: Float64Array, least: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? Infinity) < least) low = middle + 1
    else high = middle
  }
  return low
}

const NORMAL: ChanceDistribution = {
  tailOf: normalTail,
  upperBound: (probability) => normalBound(probability),
  lowerBound: (probability) => -normalBound(probability),
}

/** Numerical Recipes, section 6.2: exact to 1.2e-7 of the value. */
function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + x / 2)
  const terms = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418,
    0.37409196, 1.00002368, -1.26551223,
  ]
  const power = terms.reduce((sum, term) => sum * t + term, 0)
  const tail = (t * Math.exp(power - x * x)) / 2
  return z >= 0 ? tail : 1 - tail
}

function normalBound(probability: number): number {
  let [low, high] = [-10, 10]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (normalTail(middle) > probability) low = middle
    else high = middle
  }
  return high
}

/** Repeatable numbers from 0 to below 1 (Mulberry32): a comparison that is computed again says the same. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function centre(values: readonly number[]): Float64Array {
  const mean = values.reduce((total, value) => total + value, 0) / values.length
  return Float64Array.from(values, (value) => value - mean)
}

const sortAscending = (values: readonly number[]) => values.toSorted((one, other) => one - other)
const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0)
const sumSquares = (values: Float64Array) => values.reduce((total, value) => total + value ** 2, 0)

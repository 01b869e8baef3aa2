/** On which scale the changes of devices are compared, so that a few large devices do not decide alone. */

/** One device before and after, in windows of the same clock. */
export interface BeforeAfter {
  /** The mean of a level, a count, or 0 or 1 where something is so of a device or not. */
  before: number
  after: number
}

export type MetricKind = 'Level' | 'Count' | 'Share'

export interface ChangedGroups {
  updated: readonly BeforeAfter[]
  /** Undefined: nobody waits, and the updated ones are compared with themselves before. */
  waiting?: readonly BeforeAfter[] | undefined
}

export interface Scale {
  /** The changes, when the updated devices are freed of a shift. */
  changesOf: (groups: ChangedGroups, shift: number) => { updated: number[]; waiting: number[] }
  /** A share, such as 0.2 for a fifth more, as a shift. */
  shiftOf: (share: number) => number
  shareOf: (shift: number) => number | null
  /** Beyond this shift there is nothing to tell. */
  mostShift: number
}

/**
 * - Levels above zero (memory, seconds): the logarithm of after by before. A shift is a ratio.
 * - Other levels (temperature, dBm): the difference. A shift is a share of the mean size before.
 * - Counts: how far the count after is from its part of both counts (the residual of the binomial distribution that two Poisson counts
 *   have once their sum is known). Devices with more events tell more and count for more: that is the test of the totals, of which
 *   no device may decide alone. Devices without an event say nothing, whatever their number.
 * - Shares of devices: the difference. A shift is in percentage points.
 *
 * The choice looks at all devices alike, so it favours no group.
 */
export function chooseScale(kind: MetricKind, groups: ChangedGroups): Scale {
  if (kind === 'Count') return COUNTS
  if (kind === 'Share') return scaleByDifference(1)
  const all = [...groups.updated, ...(groups.waiting ?? [])]
  if (all.every(({ before, after }) => before > 0 && after > 0)) return RATIOS
  return scaleByDifference(all.reduce((sum, { before }) => sum + Math.abs(before), 0) / all.length)
}

/** A thousand times as much. */
const MOST_RATIO = Math.log(1_000)

const logRatio = ({ before, after }: BeforeAfter) => Math.log(after / before)

const RATIOS: Scale = {
  changesOf: ({ updated, waiting = [] }, shift) => ({
    updated: updated.map((device) => logRatio(device) - shift),
    waiting: waiting.map(logRatio),
  }),
  shiftOf: (share) => Math.log(1 + share),
  shareOf: (shift) => Math.exp(shift) - 1,
  mostShift: MOST_RATIO,
}

function scaleByDifference(base: number): Scale {
  const changeOf = ({ before, after }: BeforeAfter) => (after - before) / (base || 1)
  return {
    changesOf: ({ updated, waiting = [] }, shift) => ({
      updated: updated.map((device) => changeOf(device) - shift),
      waiting: waiting.map(changeOf),
    }),
    // A share of nothing is nothing.
    shiftOf: (share) => (base === 0 ? 0 : share),
    shareOf: (shift) => (base === 0 ? null : shift),
    mostShift: 1_000,
  }
}

/**
 * The variance of a device's count from window to window beside chance, as a share of its square: about a seventh of the count. It bounds
 * what one device that floods its log counts for.
 */
const OWN_VARIATION = 0.02

const COUNTS: Scale = {
  changesOf: ({ updated, waiting }, shift) => {
    const freed = updated.map(({ before, after }) => ({ before, after: after / Math.exp(shift) }))
    // Who waits tells what the clock alone changes. Without them all is as before.
    const growth = waiting ? estimateGrowth([...freed, ...waiting]) : 1
    const changeOf = ({ before, after }: BeforeAfter) => {
      const both = before + after
      const expected = growth * before
      return (after - expected) / (1 + OWN_VARIATION * both)
    }
    return { updated: freed.map(changeOf), waiting: (waiting ?? []).map(changeOf) }
  },
  shiftOf: (share) => Math.log(1 + share),
  shareOf: (shift) => Math.exp(shift) - 1,
  mostShift: MOST_RATIO,
}

function estimateGrowth(devices: readonly BeforeAfter[]): number {
  let [before, after] = [0.5, 0.5]
  for (const device of devices) {
    const weight = 1 / (1 + OWN_VARIATION * (device.before + device.after))
    before += weight * device.before
    after += weight * device.after
  }
  return after / before
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BeforeAfter,
  compareChanges,
  compareWithBefore,
  findWorst,
  judgeAll,
  type MetricChanges,
} from './compare-changes.ts'
import { createRandom } from './permutation.ts'

const JUDGEMENT = { confidencePercent: 95, seed: 1 }

/** Devices with their own levels, whose values vary from window to window. */
function drawLevels(count: number, random: () => number, factor = 1): BeforeAfter[] {
  return Array.from({ length: count }, () => {
    const level = 100 * Math.exp(drawNormal(random) / 3)
    const vary = () => Math.exp(drawNormal(random) / 10)
    return { before: level * vary(), after: level * factor * vary() }
  })
}

function drawCounts(count: number, random: () => number, rate: number, factor = 1): BeforeAfter[] {
  return Array.from({ length: count }, () => ({
    before: drawPoisson(rate, random),
    after: drawPoisson(rate * factor, random),
  }))
}

function drawNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function drawPoisson(rate: number, random: () => number): number {
  const least = Math.exp(-rate)
  let count = 0
  for (let left = random(); left > least; left *= random()) count++
  return count
}

function givenLevels(factor: number, overrides: Partial<MetricChanges> = {}): MetricChanges {
  const random = createRandom(7)
  return {
    kind: 'Level',
    worse: 'Higher',
    marginPercent: 5,
    updated: drawLevels(40, random, factor),
    waiting: drawLevels(40, random),
    ...overrides,
  }
}

function judgeBoth(one: MetricChanges, other: MetricChanges) {
  return [compareChanges(one, JUDGEMENT), compareChanges(other, JUDGEMENT)] as const
}

interface ConstantMetric {
  value: number
  marginPercent: number
  smallest: { percent: number | null; devices: number | null }
}

const levels = fc.double({ min: 0.01, max: 1_000, noNaN: true })
const counts = fc.nat({ max: 50 })
const listPairs = (values: fc.Arbitrary<number>) =>
  fc.array(fc.record({ before: values, after: values }), { minLength: 20, maxLength: 30 })
const aMetric: fc.Arbitrary<MetricChanges> = fc
  .constantFrom('Level' as const, 'Count' as const)
  .chain((kind) => {
    const pairs = listPairs(kind === 'Level' ? levels : counts)
    return fc.record({
      kind: fc.constant(kind),
      worse: fc.constantFrom('Higher' as const, 'Lower' as const),
      marginPercent: fc.double({ min: 0, max: 50, noNaN: true }),
      updated: pairs,
      waiting: fc.option(pairs, { nil: undefined }),
    })
  })

describe('one metric', () => {
  it('is worse by a fifth where it rose by a fifth', () => {
    const found = compareChanges(givenLevels(1.2), JUDGEMENT)
    expect(found).toMatchObject({ verdict: 'Worse', pValue: 1 / 5_000 })
    expect(found.differencePercent).toBeGreaterThan(15)
    expect(found.differencePercent).toBeLessThan(25)
    expect(found.lowPercent).toBeGreaterThan(5)
    expect(found.highPercent).toBeGreaterThan(found.differencePercent ?? Infinity)
  })

  it('is not worse where it stayed, fell, or rose by less than the margin', () => {
    for (const factor of [0.7, 1, 1.04])
      expect(compareChanges(givenLevels(factor), JUDGEMENT).verdict).toBe('NotWorse')
  })

  it('is worse where it fell, when lower is worse', () => {
    const found = compareChanges(givenLevels(0.8, { worse: 'Lower' }), JUDGEMENT)
    expect(found.verdict).toBe('Worse')
    expect(found.differencePercent).toBeLessThan(-15)
    expect(found.highPercent).toBeLessThan(-5)
    expect(compareChanges(givenLevels(1.2, { worse: 'Lower' }), JUDGEMENT).verdict).toBe('NotWorse')
  })

  it('is not worse where those that wait rose just as much', () => {
    const random = createRandom(3)
    const groups = { updated: drawLevels(40, random, 1.5), waiting: drawLevels(40, random, 1.5) }
    expect(compareChanges(givenLevels(1, groups), JUDGEMENT).verdict).toBe('NotWorse')
    // Without them nobody can know.
    expect(compareWithBefore(givenLevels(1, groups), JUDGEMENT).verdict).toBe('Worse')
  })

  it('has an interval that tells of small groups and small numbers', () => {
    const random = createRandom(5)
    const rare = { kind: 'Count' as const, worse: 'Higher' as const, marginPercent: 10 }
    const found = compareChanges(
      { ...rare, updated: drawCounts(60, random, 0.5), waiting: drawCounts(60, random, 0.5) },
      JUDGEMENT,
    )
    expect(found.verdict).toBe('NotWorse')
    expect(found.highPercent).toBeGreaterThan(40)
  })

  it('is worse without a difference in percent where it happened never before', () => {
    const never = { before: 0, after: 0 }
    const updated = Array.from({ length: 50 }, (_, index) => ({
      before: 0,
      after: index < 15 ? 2 : 0,
    }))
    const waiting = Array.from({ length: 50 }, () => never)
    const crashes = { kind: 'Count' as const, worse: 'Higher' as const, marginPercent: 10 }
    const found = compareChanges({ ...crashes, updated, waiting }, JUDGEMENT)
    expect(found).toMatchObject({ verdict: 'Worse', differencePercent: null, highPercent: null })
    const quiet = compareChanges({ ...crashes, updated: waiting, waiting }, JUDGEMENT)
    expect(quiet).toMatchObject({ verdict: 'NotWorse', pValue: 1 })
  })

  it('is not worse for one device that floods its log', () => {
    const random = createRandom(9)
    const updated = drawCounts(50, random, 5)
    updated[0] = { before: 5, after: 1_000_000 }
    const metric = { kind: 'Count' as const, worse: 'Higher' as const, marginPercent: 5 }
    const waiting = drawCounts(50, random, 5)
    expect(compareChanges({ ...metric, updated, waiting }, JUDGEMENT).verdict).toBe('NotWorse')
  })

  it('is found by differences where values cross zero', () => {
    const random = createRandom(11)
    const draw = (rise: number) =>
      Array.from({ length: 40 }, () => {
        const level = 2 * drawNormal(random)
        return { before: level, after: level + rise + drawNormal(random) / 5 }
      })
    const found = compareChanges(
      givenLevels(1, { updated: draw(0.6), waiting: draw(0) }),
      JUDGEMENT,
    )
    expect(found.verdict).toBe('Worse')
  })

  it('is told with twenty devices in each group, and with fewer in either is too few to tell', () => {
    const { updated, waiting } = givenLevels(2)
    const judge = (one: number, other: number) =>
      compareChanges(
        givenLevels(2, { updated: updated.slice(0, one), waiting: waiting?.slice(0, other) }),
        JUDGEMENT,
      )
    expect(judge(20, 20).verdict).toBe('Worse')
    for (const [one, other] of [
      [19, 40],
      [40, 19],
      [40, 0],
      [0, 0],
    ] as const)
      expect(judge(one, other)).toMatchObject({ verdict: 'TooFew', pValue: null })
    const { waiting: _, ...alone } = givenLevels(2, { updated: updated.slice(0, 19) })
    expect(compareWithBefore(alone, JUDGEMENT).verdict).toBe('TooFew')
  })

  it.each`
    what                                   | value  | marginPercent | smallest
    ${'constant'}                          | ${70}  | ${5}          | ${{ percent: 5, devices: null }}
    ${'constant, without a margin'}        | ${70}  | ${0}          | ${{ percent: 0, devices: null }}
    ${'constant and negative'}             | ${-70} | ${5}          | ${{ percent: 5, devices: null }}
    ${'always zero, which has no percent'} | ${0}   | ${5}          | ${{ percent: null, devices: 8 }}
  `('is not worse where it is $what, and says what would have been seen', (row: ConstantMetric) => {
    const devices = Array.from({ length: 40 }, () => ({ before: row.value, after: row.value }))
    const groups = { updated: devices, waiting: devices, marginPercent: row.marginPercent }
    const { verdict, smallest } = compareChanges(givenLevels(1, groups), JUDGEMENT)

    expect(verdict).toBe('NotWorse')
    expect(smallest?.devices).toBe(row.smallest.devices)
    if (row.smallest.percent === null) expect(smallest?.percent).toBeNull()
    else expect(smallest?.percent).toBeCloseTo(row.smallest.percent)
  })

  it('is worse where a constant one rises beyond the margin, and where the same few values come again and again', () => {
    const all = (before: number, after: number) =>
      Array.from({ length: 40 }, () => ({ before, after }))
    const risen = { updated: all(70, 74), waiting: all(70, 70) }
    expect(compareChanges(givenLevels(1, risen), JUDGEMENT).verdict).toBe('Worse')
    const random = createRandom(9)
    const draw = (most: number) =>
      Array.from({ length: 60 }, () => ({
        before: 1 + Math.floor(random() * 3),
        after: 1 + Math.floor(random() * most),
      }))
    expect(
      compareChanges(givenLevels(1, { updated: draw(5), waiting: draw(3) }), JUDGEMENT).verdict,
    ).toBe('Worse')
    expect(
      compareChanges(givenLevels(1, { updated: draw(3), waiting: draw(3) }), JUDGEMENT).verdict,
    ).toBe('NotWorse')
  })

  it('refuses what is no number', () => {
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      const { updated } = givenLevels(1)
      const metric = givenLevels(1, { updated: [...updated, { before: 1, after: value }] })
      expect(() => compareChanges(metric, JUDGEMENT)).toThrow(RangeError)
      expect(() => compareChanges(givenLevels(1, { marginPercent: value }), JUDGEMENT)).toThrow(
        RangeError,
      )
      expect(() => compareChanges(givenLevels(1), { confidencePercent: value, seed: 1 })).toThrow(
        RangeError,
      )
    }
    expect(() =>
      compareChanges(givenLevels(1, { marginPercent: 100, worse: 'Lower' }), JUDGEMENT),
    ).toThrow(RangeError)
    expect(() =>
      compareChanges(
        givenLevels(1, { kind: 'Count', updated: [{ before: -1, after: 0 }] }),
        JUDGEMENT,
      ),
    ).toThrow(RangeError)
  })

  it('is worse beyond the margin by its whole interval, and only then', () => {
    fc.assert(
      fc.property(aMetric, (metric) => {
        const { verdict, ...found } = compareChanges(metric, JUDGEMENT)
        if (found.differencePercent === null) return
        const least = metric.worse === 'Higher' ? found.lowPercent : found.highPercent
        const beyond =
          least !== null &&
          Math.abs(least) >= metric.marginPercent - 1e-6 &&
          (metric.worse === 'Higher' ? least >= 0 : least <= 0)
        expect(beyond).toBe(verdict === 'Worse')
      }),
    )
  })

  it('is judged the same in every order of the devices', () => {
    fc.assert(
      fc.property(aMetric, (metric) => {
        const reversed = {
          ...metric,
          updated: metric.updated.toReversed(),
          waiting: metric.waiting?.toReversed(),
        }
        const [one, other] = judgeBoth(metric, reversed)
        expect(other.verdict).toBe(one.verdict)
        expect(other.pValue).toBeCloseTo(one.pValue ?? Infinity, 6)
      }),
    )
  })

  it('is judged the same in every unit', () => {
    fc.assert(
      fc.property(aMetric, fc.constantFrom(0.001, 1_024, 3_600), (metric, unit) => {
        fc.pre(metric.kind === 'Level')
        const convert = ({ before, after }: BeforeAfter) => ({
          before: before * unit,
          after: after * unit,
        })
        const converted = {
          ...metric,
          updated: metric.updated.map(convert),
          waiting: metric.waiting?.map(convert),
        }
        const [one, other] = judgeBoth(metric, converted)
        expect(other.pValue).toBeCloseTo(one.pValue ?? Infinity, 3)
      }),
    )
  })

  it('is never better when each updated device is worse', () => {
    fc.assert(
      fc.property(aMetric, fc.double({ min: 1, max: 3, noNaN: true }), (metric, factor) => {
        const worse = metric.worse === 'Higher' ? factor : 1 / factor
        const updated = metric.updated.map(({ before, after }) => ({
          before,
          after: after * worse,
        }))
        const [one, other] = judgeBoth(metric, { ...metric, updated })
        // Chance draws differ a little.
        expect(other.pValue).toBeLessThanOrEqual((one.pValue ?? 1) + 0.03)
      }),
    )
  })
})

describe('several metrics', () => {
  it('are told in their order, each by itself', () => {
    const few = givenLevels(2, { updated: [] })
    const verdicts = judgeAll([few, givenLevels(1), givenLevels(1.3)], JUDGEMENT)
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['TooFew', 'NotWorse', 'Worse'])
    expect(judgeAll([], JUDGEMENT)).toEqual([])
  })

  it('need more certainty than one', () => {
    const random = createRandom(1)
    const near = Array.from({ length: 300 }, () => ({
      ...givenLevels(1),
      updated: drawLevels(40, random, 1.1),
      waiting: drawLevels(40, random),
    })).find((metric) => {
      const { pValue } = compareChanges(metric, JUDGEMENT)
      return pValue !== null && pValue > 0.02 && pValue < 0.04
    })
    if (!near) throw new Error('no comparison is near its limit')
    expect(compareChanges(near, JUDGEMENT).verdict).toBe('Worse')
    expect(judgeAll([near, givenLevels(1), givenLevels(1)], JUDGEMENT)[0]?.verdict).toBe('NotWorse')
    // With the other found, one less is to be told.
    expect(judgeAll([near, givenLevels(1.5)], JUDGEMENT)[0]?.verdict).toBe('Worse')
    expect(judgeAll([near, givenLevels(2, { updated: [] })], JUDGEMENT)[0]?.verdict).toBe('Worse')
  })

  it('are judged the same whenever they are judged', () => {
    const metrics = [givenLevels(1.1), givenLevels(1, { waiting: undefined })]
    expect(judgeAll(metrics, JUDGEMENT)).toEqual(judgeAll(metrics, JUDGEMENT))
  })
})

describe('false alarms', () => {
  const share = (runs: number, judge: (random: () => number, run: number) => boolean) => {
    let alarms = 0
    for (let run = 0; run < runs; run++) if (judge(createRandom(run + 1), run)) alarms++
    return alarms / runs
  }

  it('are as rare as stated where the update is as bad as the margin accepts', () => {
    const alarms = share(600, (random, seed) => {
      const updated = drawLevels(25, random, 1.05)
      const metric = givenLevels(1, { updated, waiting: drawLevels(60, random) })
      return compareChanges(metric, { confidencePercent: 95, seed }).verdict === 'Worse'
    })
    expect(alarms).toBeGreaterThan(0.02)
    expect(alarms).toBeLessThan(0.075)
  })

  it('are as rare as stated where some devices change by far more than the others', () => {
    // Of three degrees of freedom: now and then ten times the usual change.
    const drawTails = (random: () => number) =>
      Array.from({ length: 40 }, () => {
        const spread = Math.sqrt([1, 2, 3].reduce((sum) => sum + drawNormal(random) ** 2, 0) / 3)
        return { before: 100, after: 100 * Math.exp(drawNormal(random) / spread / 5) }
      })
    const alarms = share(600, (random, seed) => {
      const groups = { updated: drawTails(random), waiting: drawTails(random) }
      return (
        compareChanges(givenLevels(1, { ...groups, marginPercent: 0 }), {
          confidencePercent: 95,
          seed,
        }).verdict === 'Worse'
      )
    })
    expect(alarms).toBeGreaterThan(0.02)
    expect(alarms).toBeLessThan(0.075)
  })

  it('are as rare as stated for counts whose groups differ in size while the clock changes both', () => {
    const alarms = share(600, (random, seed) => {
      const updated = drawCounts(40, random, 3, 1.6)
      const waiting = drawCounts(80, random, 15, 1.6)
      const metric = { kind: 'Count' as const, worse: 'Higher' as const, marginPercent: 0 }
      const judgement = { confidencePercent: 95, seed }
      return compareChanges({ ...metric, updated, waiting }, judgement).verdict === 'Worse'
    })
    expect(alarms).toBeLessThan(0.075)
  })

  it('are as rare as stated without anyone who waits while the clock stands still', () => {
    const alarms = share(600, (random, seed) => {
      const updated = drawCounts(40, random, 3)
      const metric = { kind: 'Count' as const, worse: 'Higher' as const, marginPercent: 0 }
      const judgement = { confidencePercent: 95, seed }
      return compareWithBefore({ ...metric, updated }, judgement).verdict === 'Worse'
    })
    expect(alarms).toBeGreaterThan(0.02)
    expect(alarms).toBeLessThan(0.075)
  })
})

describe('more devices than are worth drawing', () => {
  it('are judged as those that are drawn', () => {
    const random = createRandom(2)
    const judge = (count: number, factor: number) =>
      compareChanges(
        givenLevels(1, {
          updated: drawLevels(count, random, factor),
          waiting: drawLevels(count, random),
        }),
        JUDGEMENT,
      )
    for (const count of [999, 1_000, 20_000]) {
      expect(judge(count, 1.07)).toMatchObject({ verdict: 'Worse' })
      expect(judge(count, 1.04)).toMatchObject({ verdict: 'NotWorse' })
    }
    const { lowPercent, differencePercent } = judge(1_000, 1.2)
    // 1.645 standard errors, which are √(2 × 2 × 0.1² / 1000) of 1.2.
    expect((differencePercent ?? 0) - (lowPercent ?? 0)).toBeCloseTo(1.645 * 0.00632 * 120, 0)
  })
})

describe('the worst devices', () => {
  it('are those that changed most for the worse', () => {
    const pairs = [
      { before: 10, after: 11 },
      { before: 1, after: 2 },
      { before: 5, after: 4 },
      { before: 100, after: 150 },
    ]
    const metric = givenLevels(1, { updated: pairs })
    expect(findWorst(metric, 2)).toEqual([1, 3])
    expect(findWorst({ ...metric, worse: 'Lower' }, 2)).toEqual([2])
  })
})

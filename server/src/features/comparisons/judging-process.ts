/** Judges the changes of devices, in a process of its own: some ten thousand permutations of thousands of devices take seconds. */
import {
  type BeforeAfter,
  type ChangeComparison,
  compareWithBefore,
  findWorst,
  judgeAll,
  type MetricChanges,
} from '../../formats/comparison/compare-changes.ts'
import type { Calculation } from '../../platform/calculators.ts'

/** The values of a group, one before and one after by device. To hand over objects would hold up the worker. */
export interface PackedChanges {
  before: Float64Array
  after: Float64Array
}

interface PackedMetric extends Omit<MetricChanges, 'updated' | 'waiting'> {
  updated: PackedChanges
  waiting: PackedChanges
}

export const packChanges = (devices: readonly BeforeAfter[]): PackedChanges => ({
  before: Float64Array.from(devices, ({ before }) => before),
  after: Float64Array.from(devices, ({ after }) => after),
})

const unpackChanges = ({ before, after }: PackedChanges): BeforeAfter[] =>
  Array.from(before, (value, place) => ({ before: value, after: after[place] ?? Number.NaN }))

export interface JudgedSignals {
  metrics: PackedMetric[]
  confidencePercent: number
  seed: number
  /** False: nothing waits, so devices are compared with themselves before, which judges nothing. */
  hasWaiting: boolean
}

export interface JudgedSignal extends ChangeComparison {
  /** Places of the updated devices that changed most for the worse. */
  worst: number[]
}

const MOST_WORST = 10

export const calculate: Calculation<JudgedSignals, JudgedSignal[]> = (_on, asked) => {
  const { confidencePercent, seed, hasWaiting } = asked
  const metrics = asked.metrics.map(({ updated, waiting, ...metric }) => ({
    ...metric,
    updated: unpackChanges(updated),
    waiting: unpackChanges(waiting),
  }))
  const judgement = { confidencePercent, seed }
  const judged = hasWaiting
    ? judgeAll(metrics, judgement)
    : metrics.map((metric) => ({
        ...compareWithBefore(metric, judgement),
        verdict: 'TooFew' as const,
      }))
  return Promise.resolve(
    judged.map((one, index) => {
      const metric = metrics[index]
      return { ...one, worst: metric ? findWorst(metric, MOST_WORST) : [] }
    }),
  )
}

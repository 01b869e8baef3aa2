/** Judges the changes of devices, in a process of its own: some ten thousand permutations of thousands of devices take seconds. */
import {
  type ChangeComparison,
  compareWithBefore,
  findWorst,
  judgeAll,
  type MetricChanges,
} from '../../formats/comparison/compare-changes.ts'
import type { Calculation } from '../../platform/calculators.ts'

export interface JudgedSignals {
  metrics: (MetricChanges & { waiting: NonNullable<MetricChanges['waiting']> })[]
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
  const { metrics, confidencePercent, seed, hasWaiting } = asked
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

/** What the results of all signals mean for a phase. */
import type { Look } from './look.ts'
import type { PhaseState, SignalResult } from './result.ts'

/** What the last look decided stays: looking again would be a further chance of a false alarm. */
export function keepDecided(
  before: readonly SignalResult[],
  found: readonly SignalResult[],
): SignalResult[] {
  const decided = new Map(
    before.flatMap((one) => (one.verdict === 'NotWorse' ? [[buildKey(one), one] as const] : [])),
  )
  return found.map((result) => decided.get(buildKey(result)) ?? result)
}

const buildKey = ({ builtIn, name, labels }: SignalResult) =>
  JSON.stringify([
    builtIn,
    name,
    Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ])

export function decideState(
  look: Look,
  results: readonly SignalResult[],
): Exclude<PhaseState, 'NotAsked'> {
  if (results.some(({ verdict }) => verdict === 'Worse')) return 'Worse'
  if (look === 'Early') return 'Waiting'
  return results.every(({ verdict }) => verdict === 'NotWorse') ? 'Passed' : 'TooFew'
}

/** Of a phase that passed: the signals in which even twice as much, or half as much, would have been missed. */
export function listBlindSpots(results: readonly SignalResult[]): string[] {
  return results.filter(({ isBlind }) => isBlind).map(({ name }) => name)
}

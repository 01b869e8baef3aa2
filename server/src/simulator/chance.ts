/** Repeatable random values: they depend only on the given words. */
import { createHash } from 'node:crypto'
import type { OutcomeWeights } from './options.ts'

/** From 0 to below 1. */
export function drawChance(...words: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(JSON.stringify(words)).digest()
  return digest.readUIntBE(0, 6) / 2 ** 48
}

/** The value, varied by up to a quarter. */
export function varyAround(value: number, ...words: readonly (string | number)[]): number {
  return value * (0.75 + drawChance(...words) / 2)
}

const OUTCOMES = ['success', 'failure', 'fallback', 'silence'] as const
export type Outcome = (typeof OUTCOMES)[number]

export function drawOutcome(
  weights: OutcomeWeights,
  ...words: readonly (string | number)[]
): Outcome {
  const total = OUTCOMES.reduce((sum, outcome) => sum + weights[outcome], 0)
  let left = drawChance(...words) * total
  for (const outcome of OUTCOMES) {
    left -= weights[outcome]
    if (left < 0) return outcome
  }
  return 'success'
}

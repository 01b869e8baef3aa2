import { expect, it } from 'vitest'
import { drawChance, drawOutcome } from './chance.ts'

it('is the same for the same words, and another for others', () => {
  expect(drawChance('seed', 'device', 1)).toBe(drawChance('seed', 'device', 1))
  expect(drawChance('seed', 'device', 1)).not.toBe(drawChance('seed', 'device', 2))
  expect(drawChance('ab', 'c')).not.toBe(drawChance('a', 'bc'))
})

it('shares outcomes as they are weighted', () => {
  const weights = { success: 9, failure: 0.5, fallback: 0.3, silence: 0.2 }
  const counts = { success: 0, failure: 0, fallback: 0, silence: 0 }

  for (let device = 0; device < 10_000; device += 1) counts[drawOutcome(weights, 'a', device)] += 1

  expect(counts.success).toBeGreaterThan(8_800)
  expect(counts.success).toBeLessThan(9_200)
  expect(counts.failure).toBeGreaterThan(400)
  expect(counts.fallback).toBeGreaterThan(200)
  expect(counts.silence).toBeGreaterThan(120)
})

it('never takes what weighs nothing', () => {
  const weights = { success: 0, failure: 0, fallback: 1, silence: 0 }

  const outcomes = Array.from({ length: 100 }, (_, device) => drawOutcome(weights, 'a', device))

  expect(new Set(outcomes)).toEqual(new Set(['fallback']))
})

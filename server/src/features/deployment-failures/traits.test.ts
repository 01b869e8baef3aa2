import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { findTraits, computeChance, type TraitCount } from './traits.ts'

const tagged = (failedCount: number, failedOf: number, otherCount: number, otherOf: number) => ({
  kind: 'Tag' as const,
  name: null,
  value: 'x',
  failedCount,
  failedOf,
  otherCount,
  otherOf,
})

function countsOf(trait: ReturnType<typeof tagged>): TraitCount[] {
  const { kind, name, value, failedCount, failedOf, otherCount, otherOf } = trait
  return [
    { reason: 'full', kind, name, value, count: failedCount },
    { reason: 'full', kind, name, value: null, count: failedOf },
    { reason: null, kind, name, value, count: otherCount },
    { reason: null, kind, name, value: null, count: otherOf },
  ]
}

it.each([
  // Fisher's tea: all four of eight cups known is one of seventy ways.
  [tagged(4, 4, 0, 4), 1 / 70],
  [tagged(3, 4, 1, 4), 17 / 70],
  [tagged(0, 4, 4, 4), 1],
  [tagged(3, 3, 0, 0), 1],
])('reckons how likely chance gives %o', (trait, chance) => {
  expect(computeChance(trait)).toBeCloseTo(chance, 10)
})

it('is a probability, however many devices there are', () => {
  const size = fc.integer({ min: 1, max: 5_000 })
  const share = fc.double({ min: 0, max: 1, noNaN: true })

  fc.assert(
    fc.property(size, size, share, share, (failedOf, otherOf, a, b) => {
      const trait = tagged(Math.floor(failedOf * a), failedOf, Math.floor(otherOf * b), otherOf)

      const chance = computeChance(trait)

      expect(chance).toBeGreaterThanOrEqual(0)
      expect(chance).toBeLessThanOrEqual(1)
    }),
    { numRuns: propertyRuns(50) },
  )
})

it.each([
  ['what nearly all that failed have and few others', tagged(20, 21, 5, 52), true],
  ['what all have', tagged(21, 21, 52, 52), false],
  ['what too few devices have to tell', tagged(2, 3, 1, 4), false],
  ['what is a little more frequent among many', tagged(3000, 5000, 2500, 5000), false],
  ['what the others have more often', tagged(1, 21, 40, 52), false],
])('names %s: %o', (_, trait, isNamed) => {
  const traits = findTraits(countsOf(trait)).get('full')

  expect(traits ?? []).toEqual(isNamed ? [trait] : [])
})

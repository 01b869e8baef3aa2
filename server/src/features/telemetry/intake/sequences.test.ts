import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addSequence, packRanges, type Ranges, unpackRanges } from './sequences.ts'

it('tells new from seen like a set does, in whatever order sequences arrive', () => {
  const sequence = fc.nat({ max: 60 })
  fc.assert(
    fc.property(fc.array(sequence, { maxLength: 120 }), (sequences) => {
      const ranges: Ranges = []
      const seen = new Set<number>()
      for (const one of sequences) {
        expect(addSequence(ranges, one)).toBe(!seen.has(one))
        seen.add(one)
      }
      expect(ranges).toEqual(ranges.toSorted((a, b) => a - b))
    }),
  )
})

it('packs ranges and finds them again', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.maxSafeNat(), { maxLength: 30 }), (sequences) => {
      const ranges: Ranges = []
      for (const one of sequences) addSequence(ranges, one)
      const packed = packRanges(ranges)
      expect(unpackRanges(packed)).toEqual(ranges)
      expect(packed.every((step) => step >= 0)).toBe(true)
    }),
  )
  expect(packRanges([1, 900, 905, 906])).toEqual([1, 899, 4, 1])
})

it('stays small: what is later than 32 gaps counts as seen, all else is told apart', () => {
  const ranges: Ranges = []
  for (let sequence = 0; sequence < 10_000; sequence += 10) addSequence(ranges, sequence)

  expect(ranges).toHaveLength(64)
  expect(addSequence(ranges, 15)).toBe(false)
  expect(addSequence(ranges, 9_985)).toBe(true)
  expect(addSequence(ranges, 9_985)).toBe(false)
})

it('takes an hour that is sent backwards as a whole', () => {
  const ranges: Ranges = []
  for (let last = 3_600; last > 0; last -= 100)
    for (let sequence = last - 99; sequence <= last; sequence++)
      expect(addSequence(ranges, sequence)).toBe(true)

  expect(ranges).toEqual([1, 3_600])
})

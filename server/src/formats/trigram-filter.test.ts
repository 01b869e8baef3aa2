import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../test/property-runs.ts'
import { computePositions, TrigramSet } from './trigram-filter.ts'

const set = new TrigramSet()

function filterOf(texts: readonly string[]): Buffer {
  for (const text of texts) set.add(text)
  return set.take()
}

/** As the database asks it. */
const mayHave = (filter: Buffer, text: string) =>
  computePositions(text).every((position) => {
    const at = position % (filter.length * 8)
    return (((filter[at >>> 3] ?? 0) >>> (at & 7)) & 1) === 1
  })

const Text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('a', 'b', 'ß', '漢', '😀'), maxLength: 20 }),
)

it('has every part of every text', () => {
  fc.assert(
    fc.property(
      fc.array(Text, { maxLength: 30 }),
      fc.nat({ max: 29 }),
      fc.nat({ max: 40 }),
      fc.nat({ max: 40 }),
      (texts, which, from, length) => {
        const part = Array.from(texts[which] ?? '')
          .slice(from, from + length)
          .join('')
        const filter = filterOf(texts)

        expect(texts.length === 0 ? part : mayHave(filter, part)).toBe(
          texts.length === 0 ? '' : true,
        )
      },
    ),
    { numRuns: propertyRuns(1_000) },
  )
})

it('has few of the texts that were not added', () => {
  const filter = filterOf(
    Array.from(
      { length: 4_000 },
      (_, index) => `connection ${index} to 10.0.${index % 256}.1 lost`,
    ),
  )
  const others = Array.from({ length: 1_000 }, (_, index) => `zq${index.toString(36)}x`)
  const found = others.filter((text) => mayHave(filter, text))

  expect(found.length).toBeLessThan(20)
  expect(filter.length).toBeLessThan(20_000)
})

it('forgets the texts of the filter before, and tells nothing of short ones', () => {
  const [first, second] = [filterOf(['watchdog']), filterOf(['network'])]

  expect([mayHave(first, 'watchdog'), mayHave(second, 'watchdog')]).toEqual([true, false])
  expect(computePositions('ab')).toEqual([])
  expect(mayHave(filterOf([]), 'ab')).toBe(true)
})

/** What is fetched of a supplier's list: bounded, the newest first, and nothing forgotten by a fault of the list. */
import { expect, it } from 'vitest'
import type { KnownDocument } from './documents-store.ts'
import { EVERY_MS, MOST_DOCUMENTS_OF_FEED } from './limits.ts'
import { planReading } from './reading.ts'

const NOW = new Date('2026-08-22T00:00:00.000Z')
const instantOf = (index: number) => new Date(NOW.getTime() - index * 60_000).toISOString()

const listOf = (indexes: readonly number[], at = instantOf) =>
  new Map(
    indexes.map((index) => [
      `https://a.example/${index}`,
      { url: `https://a.example/${index}`, at: at(index) },
    ]),
  )
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index)

function knownOf(index: number, more: Partial<KnownDocument> = {}): KnownDocument {
  return {
    id: `id-${index}`,
    url: `https://a.example/${index}`,
    listedAt: new Date(instantOf(index)),
    triedAt: NOW,
    etag: null,
    error: null,
    sizeBytes: 1,
    ...more,
  }
}

it('fetches as many of a huge list as a feed may have, the newest of them, and says how many it leaves', () => {
  const { wanted, notices } = planReading(listOf(range(0, 100_000)), [], NOW)

  expect(wanted).toHaveLength(MOST_DOCUMENTS_OF_FEED)
  expect(wanted.map(({ url }) => url)).toEqual(
    range(0, MOST_DOCUMENTS_OF_FEED).map((index) => `https://a.example/${index}`),
  )
  expect(notices).toEqual([
    'The list has more than the 5,000 documents that are kept of a feed; the newest are kept, and 95,000 are not fetched.',
  ])
})

it('fetches what changed first, then what is new, then what failed long ago', () => {
  const failed = new Date(NOW.getTime() - EVERY_MS)
  const known = [
    knownOf(1),
    knownOf(2, { listedAt: new Date(0) }),
    knownOf(3, { error: 'no', triedAt: failed }),
    knownOf(4, { error: 'no' }),
  ]

  const { wanted, gone, notices } = planReading(listOf([0, 1, 2, 3, 4]), known, NOW)

  expect(wanted.map(({ url }) => url.at(-1))).toEqual(['2', '0', '3'])
  expect([gone, notices]).toEqual([[], []])
})

it.each([
  [20, 100, 20],
  [20, 20, 20],
  [21, 200, 21],
  [21, 100, 0],
  [100, 100, 0],
])('of %i that left a list of %i at once, forgets %i', (left, count, forgotten) => {
  const known = range(0, count).map((index) => knownOf(index))

  const { gone, notices } = planReading(listOf(range(left, count)), known, NOW)

  expect(gone).toHaveLength(forgotten)
  expect(notices).toHaveLength(forgotten === 0 ? 1 : 0)
  if (forgotten === 0) expect(notices[0]).toContain('they stay in force')
})

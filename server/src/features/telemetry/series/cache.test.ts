import { expect, it } from 'vitest'
import { SeriesCache } from './cache.ts'

const NOW = new Date('2026-08-22T00:00:00Z')
const device = (id: string, createdAt = NOW) => ({ workspaceId: 'w', id, createdAt })

it('forgets the devices not heard of for longest, as a whole', () => {
  const cache = new SeriesCache(4)
  for (const id of ['a', 'b'])
    for (const key of ['x', 'y']) cache.put(device(id), { key, id: 1 }, NOW)
  cache.find(device('a'), 'x', NOW)

  cache.put(device('c'), { key: 'x', id: 3 }, NOW)

  const known = ['a', 'b', 'c'].map((id) => cache.find(device(id), 'x', NOW))
  expect(known).toEqual([1, undefined, 3])
})

it('keeps a device that alone has more than there is room for, until the next one', () => {
  const cache = new SeriesCache(2)
  for (const key of ['x', 'y', 'z']) cache.put(device('a'), { key, id: 1 }, NOW)
  expect(cache.find(device('a'), 'x', NOW)).toBe(1)

  cache.put(device('b'), { key: 'x', id: 2 }, NOW)

  expect([cache.find(device('a'), 'x', NOW), cache.find(device('b'), 'x', NOW)]).toEqual([
    undefined,
    2,
  ])
})

it('looks everything up again after a day', () => {
  const cache = new SeriesCache(10)
  cache.put(device('a'), { key: 'x', id: 1 }, NOW)
  const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)

  expect(cache.find(device('a'), 'x', later(23))).toBe(1)
  expect(cache.find(device('a'), 'x', later(24))).toBeUndefined()
})

it('knows nothing of a device made later under the same name', () => {
  const cache = new SeriesCache(10)
  cache.put(device('a'), { key: 'x', id: 1 }, NOW)

  expect(cache.find(device('a', new Date(0)), 'x', NOW)).toBeUndefined()
})

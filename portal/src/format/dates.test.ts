import { expect, it } from 'vitest'
import { formatAge, formatAgo, formatDate, formatInstant, formatTick, formatUtc } from './dates.ts'

const now = new Date('2026-11-23T12:00:00Z')
const ago = (ms: number) => new Date(now.getTime() - ms)
const MINUTE = 60_000

it.each([
  [ago(5_000), 'now', 'just now'],
  [ago(4 * MINUTE), '4 min', '4 min ago'],
  [ago(3 * 60 * MINUTE), '3 h', '3 h ago'],
  [ago(62 * 24 * 60 * MINUTE), '62 d', '62 d ago'],
  [ago(-3 * 60 * MINUTE), '3 h', 'in 3 h'],
])('tells how long ago %s was', (instant, age, text) => {
  expect([formatAge(instant, now), formatAgo(instant, now)]).toEqual([age, text])
})

it('names the year only where it is another', () => {
  expect([
    formatDate('2026-03-05T12:00:00Z', now),
    formatDate('2025-03-05T12:00:00Z', now),
  ]).toEqual(['5 Mar', '5 Mar 2025'])
})

it('says UTC in the tip', () => {
  expect(formatUtc('2026-11-19T13:05:59.000Z')).toBe('2026-11-19 13:05 UTC')
})

it('says on an axis as much as tells its ticks apart', () => {
  const noon = new Date(2026, 10, 19, 12, 5, 9)
  const midnight = new Date(2026, 10, 19)

  expect([
    formatTick(noon, 5 * MINUTE),
    formatTick(noon, 24 * 60 * MINUTE),
    formatTick(midnight, 24 * 60 * MINUTE),
  ]).toEqual(['12:05:09', '12:05', '19 Nov'])
  expect(formatInstant(noon, undefined, now)).toBe('19 Nov, 12:05')
  expect(formatInstant(new Date(2025, 10, 19, 12), undefined, now)).toBe('19 Nov 2025, 12:00')
})

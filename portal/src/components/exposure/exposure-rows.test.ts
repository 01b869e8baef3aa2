import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findDay, listGaps, listStretches } from './exposure-rows.ts'

const BEGIN = new Date('2026-11-01T09:00:00Z')
const row = (day: number) => ({
  at: new Date(`2026-11-${String(day).padStart(2, '0')}T12:00:00Z`),
  total: day,
  counts: { critical: day },
})
const instant = (day: number, hour: number) => new Date(Date.UTC(2026, 10, day, hour))
const dayOf = (at: Date | undefined) => at?.getUTCDate()
const shapeOf = (days: number[]) => {
  const rows = days.map((day) => row(day))
  return {
    gaps: listGaps(rows, BEGIN).map(({ from, to }) => [dayOf(from), dayOf(to)]),
    stretches: listStretches(rows).map((stretch) => stretch.map(({ total }) => total)),
  }
}

it.each([
  [[1, 2, 3], [], [[1, 2, 3]]],
  [
    [1, 2, 5, 6],
    [[2, 5]],
    [
      [1, 2],
      [5, 6],
    ],
  ],
  [[4, 5], [[1, 4]], [[4, 5]]],
  [
    [1, 3, 5],
    [
      [1, 3],
      [3, 5],
    ],
    [
      [1, 1],
      [3, 3],
      [5, 5],
    ],
  ],
  [[], [], []],
])('of the days %j, nobody counted %j and a line joins %j', (days, gaps, stretches) => {
  expect(shapeOf(days)).toEqual({ gaps, stretches })
})

it('draws each counted day once, and nothing in a gap', () => {
  const days = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 30 })
  fc.assert(
    fc.property(days, (some) => {
      const counted = some.toSorted((a, b) => a - b)
      const rows = counted.map((day) => row(day))

      const gaps = listGaps(rows, BEGIN)
      const drawn = listStretches(rows)

      expect([...new Set(drawn.flat().map(({ total }) => total))]).toEqual(counted)
      const isWithin = (at: Date) => gaps.some(({ from, to }) => from < at && at < to)
      expect(rows.some(({ at }) => isWithin(at))).toBe(false)
    }),
  )
})

it('points at the day that is nearest, and says of a day that nobody counted it', () => {
  const rows = [row(1), row(2), row(9)]
  const gaps = listGaps(rows, BEGIN)
  const at = (day: number, hour: number) => findDay(rows, gaps, instant(day, hour))

  expect(at(1, 15)?.row?.total).toBe(1)
  expect(at(2, 20)?.row?.total).toBe(2)
  expect(at(5, 12)).toEqual({ at: instant(5, 12) })
  expect(at(9, 10)?.row?.total).toBe(9)
})

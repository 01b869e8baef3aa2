import { describe, expect, it } from 'vitest'
import { chooseAnchor, countScale, timeScale } from './scales.ts'

describe('timeScale', () => {
  const from = new Date('2026-03-01T00:00:00Z')
  const to = new Date('2026-03-31T00:00:00Z')
  const scale = timeScale([from, to], [40, 640])

  it('places both ends, and what lies between evenly', () => {
    expect(scale.placeOf(from)).toBe(40)
    expect(scale.placeOf(to)).toBe(640)
    expect(scale.placeOf(new Date('2026-03-16T00:00:00Z'))).toBe(340)
  })

  it('tells the time of a place', () => {
    expect(scale.timeAt(340)).toEqual(new Date('2026-03-16T00:00:00Z'))
  })

  it('has ticks within its ends', () => {
    const days = scale.ticks(5)
    expect(days.length).toBeGreaterThan(2)
    for (const day of days) {
      expect(day.getTime()).toBeGreaterThanOrEqual(from.getTime())
      expect(day.getTime()).toBeLessThanOrEqual(to.getTime())
    }
  })
})

describe('countScale', () => {
  it('ends at a round number', () => {
    const { placeOf, ticks } = countScale(487, [200, 0])
    expect(ticks).toEqual([0, 100, 200, 300, 400, 500])
    expect(placeOf(0)).toBe(200)
    expect(placeOf(500)).toBe(0)
  })

  it.each([0, 1])('has whole numbers only for at most %i', (most) => {
    expect(countScale(most, [200, 0]).ticks).toEqual([0, 1])
  })
})

it('keeps the name of the last tick within the chart', () => {
  expect(chooseAnchor(300, 640)).toBe('middle')
  expect(chooseAnchor(630, 640)).toBe('end')
})

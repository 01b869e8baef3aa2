import { expect, it } from 'vitest'
import { addMs, DAY_MS, HOUR_MS } from '../formats/instants.ts'
import { findMax, findMin } from '../formats/extremes.ts'
import { measureBattery, measureTemperature } from './readings.ts'

const START = new Date('2026-01-01T00:00:00Z')
const ids = Array.from({ length: 20 }, (_, index) => `device-${index}`)
const year = (stepMs: number) =>
  Array.from({ length: (365 * DAY_MS) / stepMs }, (_, step) => addMs(START, step * stepMs))

it('measures usual temperatures, higher in summer and in the afternoon', () => {
  const all = ids.flatMap((id) => year(HOUR_MS * 5).map((at) => measureTemperature({ id }, at)))
  const summer = measureTemperature({ id: 'a' }, new Date('2026-07-20T15:00:00Z'))
  const night = measureTemperature({ id: 'a' }, new Date('2026-07-20T03:00:00Z'))
  const winter = measureTemperature({ id: 'a' }, new Date('2026-01-20T15:00:00Z'))

  expect(findMin(all)).toBeGreaterThanOrEqual(31)
  expect(findMax(all)).toBeLessThanOrEqual(53)
  expect(summer).toBeGreaterThan(night + 3)
  expect(summer).toBeGreaterThan(winter + 6)
})

it('becomes hotter without a fan, step by step, and stays so', () => {
  const fanFailedAt = new Date('2026-05-04T06:00:00Z')
  const extra = (hours: number) => {
    const at = addMs(fanFailedAt, hours * HOUR_MS)
    return measureTemperature({ id: 'a', fanFailedAt }, at) - measureTemperature({ id: 'a' }, at)
  }

  expect(extra(-1)).toBe(0)
  expect(extra(9)).toBeCloseTo(17, 0)
  expect(extra(100)).toBeCloseTo(34, 0)
})

it('has a cell that empties without a jump upwards, until somebody replaces it', () => {
  for (const id of ids) {
    const charges = year(DAY_MS).map((at) => measureBattery({ id }, at))
    const jumps = charges.flatMap((charge, day) => {
      const before = charges[day - 1] ?? charge
      return charge > before + 1 ? [{ before, charge }] : []
    })
    expect(jumps.length).toBeLessThanOrEqual(1)
    for (const { before, charge } of jumps) {
      expect(before).toBeLessThan(10)
      expect(charge).toBeGreaterThan(95)
    }
  }
})

it('keeps a battery on the mains full, but for failures of the mains', () => {
  const charges = ids.flatMap((id) =>
    year(HOUR_MS).map((at) => measureBattery({ id, power: 'mains' }, at)),
  )
  const full = charges.filter((charge) => charge === 100).length / charges.length

  expect(full).toBeGreaterThan(0.95)
  expect(full).toBeLessThan(1)
  expect(findMin(charges)).toBeGreaterThan(5)
})

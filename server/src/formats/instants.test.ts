import { describe, expect, it } from 'vitest'
import {
  addDays,
  countDays,
  countHours,
  parseInstant,
  parseOptionalInstant,
  startOfDay,
  startOfHour,
} from './instants.ts'

describe('date-times of a request', () => {
  it('reads one with an offset', () => {
    expect(parseInstant('2026-08-22T11:30:00+02:00', '/from')).toEqual(
      new Date('2026-08-22T09:30:00Z'),
    )
    expect(parseOptionalInstant(undefined, '/from')).toBeUndefined()
  })

  it.each(['2026-06-30T23:59:60Z', 'yesterday', '2026-13-01T00:00:00Z'])('refuses %s', (text) => {
    expect(() => parseInstant(text, '/filter/from')).toThrow('from is not a valid date-time.')
  })
})

describe('hours and days', () => {
  it.each`
    instant                       | hour                          | day
    ${'2026-08-22T09:30:00.001Z'} | ${'2026-08-22T09:00:00.000Z'} | ${'2026-08-22T00:00:00.000Z'}
    ${'2026-08-22T00:00:00.000Z'} | ${'2026-08-22T00:00:00.000Z'} | ${'2026-08-22T00:00:00.000Z'}
    ${'1969-12-31T23:59:59.999Z'} | ${'1969-12-31T23:00:00.000Z'} | ${'1969-12-31T00:00:00.000Z'}
  `('places $instant', ({ instant, hour, day }: Record<string, string>) => {
    const at = new Date(instant ?? '')

    expect(startOfHour(at).toISOString()).toBe(hour)
    expect(startOfDay(countDays(at)).toISOString()).toBe(day)
  })

  it('counts them from 1970 in UTC', () => {
    const at = new Date('1970-01-03T01:59:59Z')

    expect([countDays(at), countHours(at)]).toEqual([2, 49])
    expect(addDays(at, -2)).toEqual(new Date('1970-01-01T01:59:59Z'))
  })
})

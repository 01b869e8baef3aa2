import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DAY_MS } from '../instants.ts'
import { addWorkingDays } from './working-days.ts'

it.each`
  from                          | days | until                         | because
  ${'2026-11-30T09:00:00.000Z'} | ${5} | ${'2026-12-07T09:00:00.000Z'} | ${'Monday to Monday'}
  ${'2026-11-27T23:30:00.000Z'} | ${1} | ${'2026-11-30T23:30:00.000Z'} | ${'a weekend does not count'}
  ${'2026-11-28T12:00:00.000Z'} | ${5} | ${'2026-12-04T12:00:00.000Z'} | ${'Saturday is no working day'}
`(
  'counts $days working days from $from: $because',
  ({ from, days, until }: { from: string; days: number; until: string }) => {
    expect(addWorkingDays(new Date(from), days).toISOString()).toBe(until)
  },
)

it('ends on a working day, with as many of them in between as asked, at the same time of day', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      fc.integer({ min: 1, max: 365 }),
      (from, days) => {
        const until = addWorkingDays(from, days)

        const passed = Math.round((until.getTime() - from.getTime()) / DAY_MS)
        const between = Array.from({ length: passed }, (_, index) =>
          new Date(from.getTime() + (index + 1) * DAY_MS).getUTCDay(),
        )
        expect(between.filter((day) => day !== 0 && day !== 6)).toHaveLength(days)
        expect([0, 6]).not.toContain(until.getUTCDay())
        expect((until.getTime() - from.getTime()) % DAY_MS).toBe(0)
      },
    ),
  )
})

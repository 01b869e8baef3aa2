import { describe, expect, it } from 'vitest'
import { findWindowStart } from './phases.ts'

describe('a maintenance window', () => {
  it.each`
    from       | until      | utcOffset   | now                       | expected                  | because
    ${'02:00'} | ${'04:00'} | ${'+00:00'} | ${'2026-01-01T02:00:30Z'} | ${'2026-01-01T02:00:00Z'} | ${'it just began'}
    ${'02:00'} | ${'04:00'} | ${'+00:00'} | ${'2026-01-01T03:59:59Z'} | ${'2026-01-01T02:00:00Z'} | ${'it is not over'}
    ${'02:00'} | ${'04:00'} | ${'+00:00'} | ${'2026-01-01T04:00:00Z'} | ${undefined}              | ${'it is over'}
    ${'22:00'} | ${'02:00'} | ${'+00:00'} | ${'2026-01-02T01:00:00Z'} | ${'2026-01-01T22:00:00Z'} | ${'it passes midnight'}
    ${'02:00'} | ${'04:00'} | ${'+02:00'} | ${'2026-01-01T00:30:00Z'} | ${'2026-01-01T00:00:00Z'} | ${'clocks are ahead of UTC'}
    ${'00:30'} | ${'01:00'} | ${'+02:00'} | ${'2026-01-01T22:45:00Z'} | ${'2026-01-01T22:30:00Z'} | ${'it is the day before in UTC'}
    ${'20:00'} | ${'23:00'} | ${'-05:30'} | ${'2026-01-02T02:00:00Z'} | ${'2026-01-02T01:30:00Z'} | ${'clocks are behind UTC'}
    ${'06:00'} | ${'06:00'} | ${'+00:00'} | ${'2026-01-01T05:59:00Z'} | ${'2025-12-31T06:00:00Z'} | ${'it is the whole day'}
  `(
    'from $from until $until ($utcOffset) at $now: $expected, as $because',
    (row: {
      from: string
      until: string
      utcOffset: string
      now: string
      expected: string | undefined
    }) => {
      const { from, until, utcOffset } = row

      const began = findWindowStart({ from, until, utcOffset }, new Date(row.now))

      expect(began).toEqual(row.expected === undefined ? undefined : new Date(row.expected))
    },
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { type Digest, findNextDigest, findNextWeekly, type Weekly } from './digest.ts'

const BERLIN = 'Europe/Berlin'

describe('the next digest', () => {
  it.each`
    every   | at           | timeZone     | now                       | next                      | because
    ${'1h'} | ${undefined} | ${undefined} | ${'2026-08-22T10:20:30Z'} | ${'2026-08-22T11:00:00Z'} | ${'it comes with the full hour'}
    ${'1h'} | ${undefined} | ${undefined} | ${'2026-08-22T10:00:00Z'} | ${'2026-08-22T11:00:00Z'} | ${'the one of this instant has left'}
    ${'1d'} | ${undefined} | ${undefined} | ${'2026-08-22T10:00:00Z'} | ${'2026-08-23T08:00:00Z'} | ${'it comes at eight unless it is told otherwise'}
    ${'1d'} | ${'08:00'}   | ${BERLIN}    | ${'2026-08-22T05:59:59Z'} | ${'2026-08-22T06:00:00Z'} | ${'clocks are ahead'}
    ${'1d'} | ${'08:00'}   | ${BERLIN}    | ${'2026-08-22T06:00:00Z'} | ${'2026-08-23T06:00:00Z'} | ${'today’s has left'}
    ${'1d'} | ${'00:00'}   | ${'UTC'}     | ${'2026-12-31T23:59:30Z'} | ${'2027-01-01T00:00:00Z'} | ${'a year ends'}
    ${'1d'} | ${'02:30'}   | ${BERLIN}    | ${'2026-03-28T12:00:00Z'} | ${'2026-03-29T01:00:00Z'} | ${'there is no half past two when clocks are put forward'}
    ${'1d'} | ${'02:30'}   | ${BERLIN}    | ${'2026-10-24T12:00:00Z'} | ${'2026-10-25T00:30:00Z'} | ${'there are two when they are put back'}
  `(
    'of every $every at $at after $now is $next, as $because',
    ({ now, next, ...digest }: Digest & { now: string; next: string }) => {
      expect(findNextDigest(digest, new Date(now))).toEqual(new Date(next))
    },
  )

  it('is later, within a day and an hour, and at its time of day unless clocks left that out', () => {
    const anyMinute = fc.nat(1439)
    const anyZone = fc.constantFrom('UTC', BERLIN, 'America/St_Johns', 'Asia/Kathmandu')
    const anySecond = fc.nat(365 * 86_400)
    fc.assert(
      fc.property(anyMinute, anyZone, anySecond, (minute, timeZone, second) => {
        const two = (number: number) => String(number).padStart(2, '0')
        const at = `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
        const now = Date.UTC(2026, 0, 1) + second * 1_000

        const next = findNextDigest({ every: '1d', at, timeZone }, new Date(now))

        const wait = next.getTime() - now
        expect(wait).toBeGreaterThan(0)
        expect(wait).toBeLessThanOrEqual(25 * 3_600_000)
        const shown = new Intl.DateTimeFormat('en-GB', {
          timeZone,
          hour: '2-digit',
          minute: '2-digit',
        }).format(next)
        expect(shown === at || shown === '03:00').toBe(true)
      }),
      { numRuns: propertyRuns(300) },
    )
  })
})

it.each`
  day      | at         | timeZone            | now                       | next                      | because
  ${'Mon'} | ${'08:00'} | ${BERLIN}           | ${'2026-08-21T10:00:00Z'} | ${'2026-08-24T06:00:00Z'} | ${'Monday comes'}
  ${'Mon'} | ${'08:00'} | ${BERLIN}           | ${'2026-08-24T05:59:59Z'} | ${'2026-08-24T06:00:00Z'} | ${'it is a second before'}
  ${'Mon'} | ${'08:00'} | ${BERLIN}           | ${'2026-08-24T06:00:00Z'} | ${'2026-08-31T06:00:00Z'} | ${'that of this instant has left'}
  ${'Thu'} | ${'00:00'} | ${'UTC'}            | ${'1970-01-01T00:00:00Z'} | ${'1970-01-08T00:00:00Z'} | ${'time began on a Thursday'}
  ${'Sun'} | ${'23:30'} | ${'Asia/Kathmandu'} | ${'2026-12-27T18:00:00Z'} | ${'2027-01-03T17:45:00Z'} | ${'a year ends'}
  ${'Sun'} | ${'02:30'} | ${BERLIN}           | ${'2026-03-23T12:00:00Z'} | ${'2026-03-29T01:00:00Z'} | ${'there is no half past two when clocks are put forward'}
  ${'Mon'} | ${'08:00'} | ${BERLIN}           | ${'2026-10-19T06:00:00Z'} | ${'2026-10-26T07:00:00Z'} | ${'clocks are put back in this week'}
`(
  'the next $day at $at in $timeZone after $now is $next, as $because',
  ({ now, next, ...weekly }: Weekly & { now: string; next: string }) => {
    expect(findNextWeekly(weekly, new Date(now))).toEqual(new Date(next))
  },
)

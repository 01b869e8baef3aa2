import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { endOfQuiet, type QuietHours, WEEKDAYS } from './quiet-hours.ts'

const BERLIN = 'Europe/Berlin'
const WORKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'] as const

describe('quiet hours', () => {
  it.each`
    timeZone                 | from       | to         | days         | now                       | end                       | because
    ${'UTC'}                 | ${'22:00'} | ${'06:00'} | ${undefined} | ${'2026-08-22T23:30:10Z'} | ${'2026-08-23T06:00:00Z'} | ${'they pass midnight'}
    ${'UTC'}                 | ${'22:00'} | ${'06:00'} | ${undefined} | ${'2026-08-22T06:00:00Z'} | ${'2026-08-22T06:00:00Z'} | ${'their end is not theirs'}
    ${'UTC'}                 | ${'22:00'} | ${'06:00'} | ${undefined} | ${'2026-08-22T12:34:56Z'} | ${'2026-08-22T12:34:56Z'} | ${'it is day'}
    ${'UTC'}                 | ${'12:00'} | ${'13:00'} | ${undefined} | ${'2026-08-22T12:00:00Z'} | ${'2026-08-22T13:00:00Z'} | ${'their beginning is theirs'}
    ${BERLIN}                | ${'22:00'} | ${'06:00'} | ${undefined} | ${'2026-08-22T21:00:00Z'} | ${'2026-08-23T04:00:00Z'} | ${'clocks are two hours ahead in summer'}
    ${'Asia/Kathmandu'}      | ${'22:00'} | ${'06:00'} | ${undefined} | ${'2026-08-22T20:00:00Z'} | ${'2026-08-23T00:15:00Z'} | ${'some are ahead by quarters'}
    ${BERLIN}                | ${'22:00'} | ${'02:30'} | ${undefined} | ${'2026-03-28T23:00:00Z'} | ${'2026-03-29T01:00:00Z'} | ${'there is no half past two when clocks are put forward'}
    ${BERLIN}                | ${'22:00'} | ${'02:30'} | ${undefined} | ${'2026-10-24T22:00:00Z'} | ${'2026-10-25T00:30:00Z'} | ${'the first half past two ends them when clocks are put back'}
    ${BERLIN}                | ${'22:00'} | ${'04:00'} | ${undefined} | ${'2026-10-24T22:00:00Z'} | ${'2026-10-25T03:00:00Z'} | ${'a night may be an hour longer'}
    ${BERLIN}                | ${'03:00'} | ${'02:00'} | ${undefined} | ${'2026-03-28T22:00:00Z'} | ${'2026-03-30T00:00:00Z'} | ${'the one loud hour is left out'}
    ${'Australia/Lord_Howe'} | ${'22:00'} | ${'06:00'} | ${undefined} | ${'2026-10-03T14:00:00Z'} | ${'2026-10-03T19:00:00Z'} | ${'clocks may be put forward by half an hour'}
    ${'UTC'}                 | ${'22:00'} | ${'06:00'} | ${['Fri']}   | ${'2026-08-22T05:00:00Z'} | ${'2026-08-22T06:00:00Z'} | ${'Friday’s reach into Saturday'}
    ${'UTC'}                 | ${'22:00'} | ${'06:00'} | ${['Fri']}   | ${'2026-08-22T22:00:00Z'} | ${'2026-08-22T22:00:00Z'} | ${'Saturday has none'}
    ${'UTC'}                 | ${'22:00'} | ${'06:00'} | ${WORKDAYS}  | ${'2026-08-24T05:00:00Z'} | ${'2026-08-24T05:00:00Z'} | ${'Sunday’s would reach into Monday'}
    ${'UTC'}                 | ${'09:00'} | ${'17:00'} | ${[]}        | ${'2026-08-24T10:00:00Z'} | ${'2026-08-24T10:00:00Z'} | ${'they begin on no day'}
    ${'Mars/Olympus'}        | ${'22:00'} | ${'06:00'} | ${undefined} | ${'2026-08-22T23:00:00Z'} | ${'2026-08-23T06:00:00Z'} | ${'a zone nobody knows is UTC'}
  `(
    '$from to $to in $timeZone at $now end at $end, as $because',
    ({ now, end, ...hours }: QuietHours & { now: string; end: string }) => {
      expect(endOfQuiet(hours, new Date(now))).toEqual(new Date(end))
    },
  )

  it('are none where there are none', () => {
    const now = new Date()

    expect(endOfQuiet(null, now)).toBe(now)
  })
})

const anyHours: fc.Arbitrary<QuietHours> = fc
  .record({
    timeZone: fc.constantFrom('UTC', BERLIN, 'America/St_Johns', 'Pacific/Apia', 'Africa/Cairo'),
    from: fc.nat(1439),
    length: fc.integer({ min: 1, max: 1439 }),
    days: fc.option(fc.subarray([...WEEKDAYS]), { nil: undefined }),
  })
  .map(({ timeZone, from, length, days }) => ({
    timeZone,
    from: timeOf(from),
    to: timeOf((from + length) % 1440),
    days,
  }))

function timeOf(minute: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

const BEGIN = Date.UTC(2026, 0, 1)
const anyInstant = fc.integer({ min: 0, max: 365 * 86_400 }).map((s) => new Date(BEGIN + s * 1_000))

/** What a person would read off the clock on the wall. */
function isQuietNaively({ timeZone, from, to, days }: QuietHours, at: Date): boolean {
  const read = (options: Intl.DateTimeFormatOptions, when: Date) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, ...options }).format(when)
  const time = read({ hour: '2-digit', minute: '2-digit' }, at)
  const today = read({ weekday: 'short' }, at) as (typeof WEEKDAYS)[number]
  const yesterday = WEEKDAYS[(WEEKDAYS.indexOf(today) + 6) % 7] ?? 'Mon'
  const counts = (day: (typeof WEEKDAYS)[number]) => days === undefined || days.includes(day)
  if (from < to) return time >= from && time < to && counts(today)
  return (time >= from && counts(today)) || (time < to && counts(yesterday))
}

describe('the end of any quiet hours', () => {
  it('is not quiet, not past, and everything before it is', () => {
    fc.assert(
      fc.property(
        anyHours,
        anyInstant,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (hours, now, part) => {
          const end = endOfQuiet(hours, now)

          const between = new Date(now.getTime() + (end.getTime() - now.getTime()) * part)
          expect(end.getTime()).toBeGreaterThanOrEqual(now.getTime())
          expect(isQuietNaively(hours, end)).toBe(false)
          if (end > now) expect(isQuietNaively(hours, between)).toBe(true)
        },
      ),
      { numRuns: propertyRuns(300) },
    )
  })

  it('is its own end', () => {
    fc.assert(
      fc.property(anyHours, anyInstant, (hours, now) => {
        const end = endOfQuiet(hours, now)

        expect(endOfQuiet(hours, end)).toEqual(end)
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})

/** Due times of Article 14, by tables and by generated facts. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { addMs, DAY_MS, HOUR_MS } from '../instants.ts'
import { addCalendarMonth } from './calendar.ts'
import { type ClockFacts, computeClocks, judgeClock } from './clocks.ts'

const NONE: ClockFacts = {
  type: 'Vulnerability',
  awareAt: undefined,
  measureAvailableAt: undefined,
  reports: [],
  requests: [],
  usersInformedAt: undefined,
  timeZones: [],
}
const dueOf = (facts: Partial<ClockFacts>, stage: string) => {
  const clock = computeClocks({ ...NONE, ...facts }).find((one) => one.stage === stage)
  return clock && { ...clock, dueAt: clock.dueAt?.toISOString() ?? null }
}
const notified = (at: string, isInvalid = false) => ({
  stage: 'Notification' as const,
  submittedAt: new Date(at),
  isInvalid,
})

it('starts no clock before somebody has set the instant of awareness', () => {
  expect(computeClocks({ ...NONE, measureAvailableAt: new Date() })).toEqual([])
})

it.each`
  awareAt                   | early                         | because
  ${'2026-03-28T23:30:00Z'} | ${'2026-03-29T23:30:00.000Z'} | ${'hours run on where clocks go forward'}
  ${'2026-10-24T23:30:00Z'} | ${'2026-10-25T23:30:00.000Z'} | ${'hours run on where clocks go back'}
  ${'2028-02-28T12:00:00Z'} | ${'2028-02-29T12:00:00.000Z'} | ${'a leap day is a day'}
  ${'2026-12-24T20:00:00Z'} | ${'2026-12-25T20:00:00.000Z'} | ${'hours run through holidays'}
`(
  'wants the early warning by $early, as $because',
  ({ awareAt, early }: { awareAt: string; early: string }) => {
    const facts = { awareAt: new Date(awareAt), timeZones: ['Europe/Berlin'] }
    expect(dueOf(facts, 'EarlyWarning')).toMatchObject({ dueAt: early, article: '14(2)(a)' })
  },
)

it.each`
  submitted                     | zone                  | due                           | because
  ${'2026-01-31T10:00:00.000Z'} | ${'UTC'}              | ${'2026-02-28T10:00:00.000Z'} | ${'February has no 31st'}
  ${'2028-01-31T10:00:00.000Z'} | ${'UTC'}              | ${'2028-02-29T10:00:00.000Z'} | ${'it has a 29th in a leap year'}
  ${'2026-01-31T23:30:00.000Z'} | ${'Europe/Berlin'}    | ${'2026-02-28T23:30:00.000Z'} | ${'the month ends earlier in UTC'}
  ${'2026-02-28T23:30:00.000Z'} | ${'Europe/Berlin'}    | ${'2026-03-28T23:30:00.000Z'} | ${'1 March in Berlin is 28 February in UTC'}
  ${'2026-03-01T02:00:00.000Z'} | ${'America/New_York'} | ${'2026-03-29T01:00:00.000Z'} | ${'28 February there ends earlier'}
  ${'2026-03-15T10:00:00.000Z'} | ${'Europe/Berlin'}    | ${'2026-04-15T09:00:00.000Z'} | ${'summer time begins between'}
  ${'2026-10-15T10:00:00.000Z'} | ${'Europe/Berlin'}    | ${'2026-11-15T10:00:00.000Z'} | ${'winter time begins between'}
  ${'2026-02-28T01:30:00.000Z'} | ${'Europe/Berlin'}    | ${'2026-03-28T01:30:00.000Z'} | ${'the time exists on that day'}
  ${'2027-02-28T01:30:00.000Z'} | ${'Europe/Berlin'}    | ${'2027-03-28T00:30:00.000Z'} | ${'the clocks skip half past two'}
  ${'2026-12-31T10:00:00.000Z'} | ${'UTC'}              | ${'2027-01-31T10:00:00.000Z'} | ${'the year ends between'}
`(
  'wants the final report of an incident of $submitted in $zone by $due, as $because',
  ({ submitted, zone, due }: { submitted: string; zone: string; due: string }) => {
    const facts = {
      type: 'Incident' as const,
      awareAt: new Date('2026-01-01T00:00:00Z'),
      reports: [notified(submitted)],
      timeZones: [zone],
    }
    expect(dueOf(facts, 'FinalReport')).toMatchObject({ dueAt: due, isInterpretation: false })
  },
)

it('has no due time of a final report before a measure, or the notification of an incident', () => {
  const awareAt = new Date('2026-05-01T00:00:00Z')
  expect(dueOf({ awareAt }, 'FinalReport')).toMatchObject({ dueAt: null, basis: 'WaitsForMeasure' })
  expect(dueOf({ awareAt, type: 'Incident' }, 'FinalReport')).toMatchObject({
    dueAt: null,
    basis: 'WaitsForNotification',
  })
})

it('wants no final report before the notification where the measure is older than awareness', () => {
  const facts = {
    awareAt: new Date('2026-05-30T00:00:00Z'),
    measureAvailableAt: new Date('2026-01-01T00:00:00Z'),
  }
  expect(dueOf(facts, 'FinalReport')).toMatchObject({
    dueAt: '2026-06-02T00:00:00.000Z',
    basis: 'NotificationDue',
    isInterpretation: true,
  })
})

it('leaves a stage due at its old time when the CSIRT did not accept the report', () => {
  const facts = {
    type: 'Incident' as const,
    awareAt: new Date('2026-05-01T00:00:00Z'),
    reports: [notified('2026-05-02T00:00:00Z', true), notified('2026-05-05T00:00:00Z')],
  }
  const [first] = facts.reports
  expect(dueOf({ ...facts, reports: first ? [first] : [] }, 'Notification')).toMatchObject({
    dueAt: '2026-05-04T00:00:00.000Z',
    doneAt: null,
  })
  expect(dueOf(facts, 'Notification')).toMatchObject({ doneAt: new Date('2026-05-05T00:00:00Z') })
  expect(dueOf(facts, 'FinalReport')).toMatchObject({
    dueAt: '2026-06-02T00:00:00.000Z',
    isInterpretation: true,
  })
})

it('keeps late what was submitted late', () => {
  const clock = computeClocks({
    ...NONE,
    awareAt: new Date('2026-05-01T00:00:00Z'),
    reports: [notified('2026-05-05T00:00:00Z')],
  }).find(({ stage }) => stage === 'Notification')
  expect(clock && judgeClock(clock, new Date('2027-01-01T00:00:00Z'))).toBe('DoneLate')
})

const instant = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2040-01-01T00:00:00Z'),
  noInvalidDate: true,
})
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'Europe/Lisbon',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
)
const facts = fc.record({
  type: fc.constantFrom('Vulnerability' as const, 'Incident' as const),
  awareAt: instant,
  measureAvailableAt: fc.option(instant, { nil: undefined }),
  reports: fc.array(
    fc
      .record({ at: instant, isInvalid: fc.boolean() })
      .map(({ at, isInvalid }) => notified(at.toISOString(), isInvalid)),
    { maxLength: 3 },
  ),
  requests: fc.constant([]),
  usersInformedAt: fc.constant(undefined),
  timeZones: fc.array(zone, { maxLength: 3 }),
})

it('is never later than the law, and the first two never before awareness, whatever the facts', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { awareAt, measureAvailableAt, reports, type } = given
      const due = new Map(computeClocks(given).map((one) => [one.stage, one.dueAt?.getTime()]))
      const early = due.get('EarlyWarning') ?? 0
      const notification = due.get('Notification') ?? 0
      expect(early - awareAt.getTime()).toBe(24 * HOUR_MS)
      expect(notification - awareAt.getTime()).toBe(72 * HOUR_MS)
      const final = due.get('FinalReport')
      if (type === 'Vulnerability' && measureAvailableAt) {
        const law = addMs(measureAvailableAt, 14 * DAY_MS).getTime()
        expect(final).toBe(Math.max(law, notification))
      } else if (type === 'Incident' && reports.length > 0) {
        for (const { submittedAt } of reports) {
          expect(final).toBeLessThanOrEqual(monthLater(submittedAt))
        }
        const first = Math.min(...reports.map(({ submittedAt }) => submittedAt.getTime()))
        expect(final).toBeGreaterThan(first + 26 * DAY_MS)
      } else expect(final).toBeUndefined()
    }),
    { numRuns: propertyRuns(2000, 200) },
  )
})

/** Written in another way than the product's: the setter of Date runs over, and is taken back. */
function monthLater(from: Date): number {
  const to = new Date(from)
  to.setUTCMonth(to.getUTCMonth() + 1)
  while (to.getUTCDate() < from.getUTCDate() && to.getUTCDate() < 4)
    to.setTime(to.getTime() - DAY_MS)
  return to.getTime()
}

it('shows the same time of day a month later in any zone, but for clocks that were moved', () => {
  fc.assert(
    fc.property(instant, zone, (from, timeZone) => {
      const shown = (at: Date) =>
        new Intl.DateTimeFormat('en-GB', {
          timeZone,
          dateStyle: 'short',
          timeStyle: 'short',
        }).format(at)
      const [before, after] = [shown(from), shown(addCalendarMonth(from, timeZone))]
      const month = (text: string) => Number(text.slice(3, 5))
      expect(month(after)).toBe((month(before) % 12) + 1)
      expect(Number(after.slice(0, 2))).toBeLessThanOrEqual(Number(before.slice(0, 2)))
    }),
    { numRuns: propertyRuns(2000, 200) },
  )
})

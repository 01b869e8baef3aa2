import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { addMs, DAY_MS, HOUR_MS } from '../../formats/instants.ts'
import type { ShownClock } from './case-facts.ts'
import { listDeadlines, type WatchedCase } from './deadlines.ts'

const DUE = new Date('2026-11-03T21:40:00Z')
const CLOCK: ShownClock = {
  stage: 'EarlyWarning',
  requestId: null,
  dueAt: DUE,
  basis: 'AwareAt',
  article: '14(2)(a)',
  isInterpretation: false,
  doneAt: null,
  state: 'Running',
}
const CASE: WatchedCase = {
  id: 'case',
  title: 'Shell',
  isDrill: false,
  state: 'Open',
  awareAt: addMs(DUE, -DAY_MS),
  assessBefore: null,
  nextLookAt: null,
  clocks: [CLOCK],
}
const read = (hours: number, more: Partial<WatchedCase> = {}) =>
  listDeadlines([{ ...CASE, ...more }], addMs(DUE, hours * HOUR_MS))

it.each`
  hours    | step                          | because
  ${-12.1} | ${undefined}                  | ${'it is not due soon'}
  ${-12}   | ${'case/EarlyWarning/12h'}    | ${'twelve hours are left'}
  ${-4}    | ${'case/EarlyWarning/4h'}     | ${'four hours are left'}
  ${-1}    | ${'case/EarlyWarning/1h'}     | ${'one hour is left'}
  ${0}     | ${'case/EarlyWarning/1h'}     | ${'it is due now, and not late'}
  ${0.1}   | ${'case/EarlyWarning/late-0'} | ${'it is late'}
  ${24.1}  | ${'case/EarlyWarning/late-1'} | ${'it is late for another day'}
`('tells $step at $hours hours, as $because', ({ hours, step }) => {
  expect(read(hours as number)[0]?.series).toBe(step)
})

it('tells what was missed while nobody looked, once, with the step that holds now', () => {
  expect(read(50)).toMatchObject([
    {
      series: 'case/EarlyWarning/late-2',
      label: 'Shell: early warning (Article 14(2)(a)), LATE, was due 2026-11-03 21:40 UTC',
      hoursLeft: -50,
      isGoodPractice: false,
    },
  ])
})

it('tells nothing of what is done, closed or dismissed', () => {
  expect(read(50, { clocks: [{ ...CLOCK, doneAt: DUE }] })).toEqual([])
  expect(read(50, { state: 'Closed' })).toEqual([])
  expect(read(50, { state: 'Dismissed' })).toEqual([])
})

it('marks a drill', () => {
  expect(read(1, { isDrill: true })[0]?.label).toContain('DRILL Shell')
})

it('reminds once a week of what has no due date yet', () => {
  const clocks = [{ ...CLOCK, stage: 'FinalReport' as const, dueAt: null, article: '14(2)(c)' }]
  expect(read(24, { clocks })).toEqual([])
  expect(read(7 * 24, { clocks })).toMatchObject([
    { series: 'case/FinalReport/week-1', hoursLeft: null, isGoodPractice: true },
  ])
})

it('nags for an assessment and a next look as good practice, each day', () => {
  const proposed = { state: 'Proposed', assessBefore: DUE, clocks: [] }
  expect(read(0, proposed)).toEqual([])
  expect(read(1, proposed)).toMatchObject([{ series: 'case/assess/day-0', isGoodPractice: true }])
  expect(read(30, { state: 'Watching', nextLookAt: DUE, clocks: [] })).toMatchObject([
    { series: 'case/look/day-1', isGoodPractice: true },
  ])
})

it('has each step once, whatever the instants at which somebody looks, and none that comes again', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -30, max: 200, noNaN: true }), { maxLength: 60 }),
      (hours) => {
        const seen = hours
          .toSorted((one, two) => one - two)
          .map((hour) => read(hour)[0]?.series ?? 'none')
        const begun = seen.filter((series, index) => series !== seen[index - 1])
        expect(new Set(begun).size).toBe(begun.length)
      },
    ),
    { numRuns: propertyRuns(500, 100) },
  )
})

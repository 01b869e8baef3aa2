import type { CaseClock } from '@plimsoll/api-client'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { drawClock, formatSpan } from './clock-drawing.ts'

const AWARE = '2026-11-02T21:40:00.000Z'
const DUE = '2026-11-03T21:40:00.000Z'
const clock = (more: Partial<CaseClock> = {}): CaseClock => ({
  stage: 'EarlyWarning',
  requestId: null,
  dueAt: DUE,
  basis: 'AwareAt',
  article: '14(2)(a)',
  isInterpretation: false,
  doneAt: null,
  state: 'Running',
  platformShowsAt: null,
  ...more,
})
const draw = (now: string, more: Partial<CaseClock> = {}, startedAt: string | null = AWARE) =>
  drawClock(clock(more), { startedAt, now: new Date(now) })

it('draws how much of the time has passed, and says how much is left', () => {
  expect(draw('2026-11-03T03:40:00Z')).toEqual({
    passed: 0.25,
    tone: 'accent',
    words: '18 h left',
    state: 'Running',
  })
  expect(draw('2026-11-03T21:37:30Z')).toMatchObject({ tone: 'warn', words: '2 min left' })
})

it('is late once its time is over, also when the service has not told it yet', () => {
  expect(draw('2026-11-04T00:45:00Z')).toMatchObject({
    passed: 1,
    tone: 'danger',
    words: 'late by 3 h 5 min',
    state: 'Late',
  })
})

it('is late when the service says so, although the clock of this machine is slow', () => {
  expect(draw('2026-11-03T21:00:00Z', { state: 'Late' })).toMatchObject({
    tone: 'danger',
    words: 'late by less than a minute',
  })
})

it('says for ever that a report was late', () => {
  const done = { doneAt: '2026-11-03T22:40:00.000Z', state: 'DoneLate' } as const

  expect(draw('2027-11-04T00:45:00Z', done)).toMatchObject({
    tone: 'danger',
    words: 'submitted 1 h late',
    state: 'DoneLate',
  })
})

it('stands still once it is answered', () => {
  const done = { doneAt: '2026-11-03T09:40:00.000Z', state: 'Done' } as const

  expect(draw('2027-11-04T00:45:00Z', done)).toEqual({
    passed: 0.5,
    tone: 'ok',
    words: 'submitted 12 h before it was due',
    state: 'Done',
  })
})

it('measures nothing where there is no due time', () => {
  const waits = { dueAt: null, state: 'NoDueTime' } as const

  expect(draw('2026-11-04T00:45:00Z', { ...waits, basis: 'WaitsForMeasure' })).toMatchObject({
    passed: undefined,
    words: 'no due date yet',
  })
  expect(
    draw('2026-11-04T00:45:00Z', { ...waits, basis: 'NoHours', stage: 'UsersInformed' }),
  ).toMatchObject({ passed: undefined, words: 'open' })
})

it('never says that more is left than there is, and never draws outside of its bar', () => {
  const instant = fc.date({
    min: new Date('2026-01-01'),
    max: new Date('2028-01-01'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(instant, instant, instant, (startedAt, dueAt, now) => {
      const drawn = drawClock(clock({ dueAt: dueAt.toISOString() }), {
        startedAt: startedAt.toISOString(),
        now,
      })
      expect(drawn.passed).toBeGreaterThanOrEqual(0)
      expect(drawn.passed).toBeLessThanOrEqual(1)
      expect(drawn.state).toBe(now > dueAt ? 'Late' : 'Running')
      expect(drawn.words.startsWith('late by')).toBe(now > dueAt)
      expect(readSpan(formatSpan(Math.abs(+dueAt - +now)))).toBeLessThanOrEqual(
        Math.abs(+dueAt - +now),
      )
    }),
  )
})

const UNITS: Record<string, number> = { d: 86_400_000, h: 3_600_000, min: 60_000 }
const readSpan = (text: string) =>
  [...text.matchAll(/(\d+) (d|h|min)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  )

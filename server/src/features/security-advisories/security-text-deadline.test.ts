import { expect, it } from 'vitest'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import { describeDeadline } from './security-text-deadline.ts'

const UNTIL = new Date('2026-11-03T00:00:00Z')
const read = (days: number) => describeDeadline(UNTIL, addMs(UNTIL, days * DAY_MS))

it.each`
  days     | series                       | because
  ${-30.1} | ${undefined}                 | ${'there is more than a month'}
  ${-30}   | ${'security-text/30d'}       | ${'thirty days are left'}
  ${-7}    | ${'security-text/7d'}        | ${'a week is left'}
  ${-1}    | ${'security-text/1d'}        | ${'a day is left'}
  ${0}     | ${'security-text/1d'}        | ${'it expires now'}
  ${0.1}   | ${'security-text/expired-0'} | ${'it has expired'}
  ${1.1}   | ${'security-text/expired-1'} | ${'it has expired for another day'}
`('tells $series at $days days, as $because', ({ days, series }) => {
  expect(read(days as number)[0]?.series).toBe(series)
})

it('names the instant, and what to do', () => {
  expect(read(-3)).toMatchObject([
    { label: 'security.txt expires on 2026-11-03 00:00 UTC: serve a new one', hoursLeft: 72 },
  ])
})

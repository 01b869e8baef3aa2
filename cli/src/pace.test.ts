import { expect, it } from 'vitest'
import { estimateRest } from './pace.ts'

const MINUTE = 60_000

interface Row {
  finished: number
  left: number
  minutes: number
  expected: string | undefined
}

it.each`
  finished | left    | minutes | expected                                | because
  ${2}     | ${10}   | ${5}    | ${undefined}                            | ${'two devices say nothing'}
  ${10}    | ${0}    | ${5}    | ${undefined}                            | ${'it is done'}
  ${10}    | ${1}    | ${5}    | ${'about a minute more at this pace'}   | ${'half a minute is rounded up'}
  ${10}    | ${40}   | ${10}   | ${'about 40 minutes more at this pace'} | ${'one takes a minute'}
  ${10}    | ${1000} | ${10}   | ${'about 17 hours more at this pace'}   | ${'minutes would be many'}
  ${10}    | ${9000} | ${10}   | ${'about 6 days more at this pace'}     | ${'hours would be many'}
`('is $expected, as $because', ({ finished, left, minutes, expected }: Row) => {
  expect(estimateRest({ finished, left, elapsedMs: minutes * MINUTE })).toBe(expected)
})

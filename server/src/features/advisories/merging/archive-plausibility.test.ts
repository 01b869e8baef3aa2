import { expect, it } from 'vitest'
import { isPlausibleLoss, isShrunk } from './archive-plausibility.ts'

it.each`
  known   | incoming | shrunk   | because
  ${0}    | ${0}     | ${false} | ${'nothing was known'}
  ${2}    | ${1}     | ${false} | ${'one record may leave'}
  ${3}    | ${1}     | ${true}  | ${'half of them do not'}
  ${10}   | ${5}     | ${true}  | ${'exactly half is half'}
  ${10}   | ${6}     | ${false} | ${'a few of few may leave'}
  ${1000} | ${800}   | ${false} | ${'four fifths are plausible'}
  ${1000} | ${799}   | ${true}  | ${'less of many is not'}
  ${1000} | ${2000}  | ${false} | ${'it grew'}
`(
  'of $known known records $incoming are left: $shrunk, as $because',
  ({ known, incoming, shrunk }: Record<'known' | 'incoming', number> & { shrunk: boolean }) => {
    expect(isShrunk({ known, incoming })).toBe(shrunk)
  },
)

it('believes that few records left an archive, or one in a hundred of many', () => {
  const losses = [
    [20, 30],
    [21, 30],
    [100, 10_000],
    [101, 10_000],
  ] as const

  expect(losses.map(([missing, known]) => isPlausibleLoss({ missing, known }))).toEqual([
    true,
    false,
    true,
    false,
  ])
})

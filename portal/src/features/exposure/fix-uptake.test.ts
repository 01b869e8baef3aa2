import { expect, it } from 'vitest'
import { describeUptake } from './fix-uptake.ts'

const day = (number: number, affected: number) => ({
  day: `2020-11-${String(number).padStart(2, '0')}`,
  deviceCount: 10,
  exploited: 0,
  affected,
  byWorst: [],
})
const sentence = (...counts: number[]) =>
  describeUptake(
    counts.map((count, index) => day(index + 1, count)),
    { what: 'CVE-1', countIn: ({ affected }) => affected ?? 0 },
  )

it.each([
  [[], 'No device has reported what it runs in these days.'],
  [[0, 0], 'No device ran CVE-1 in these days.'],
  [[2, 7, 3], '3 of 10 devices run CVE-1 now. The most were 7, on 2 Nov 2020.'],
  [[2, 5], '5 of 10 devices run CVE-1 now.'],
  [
    [4, 9, 0, 0],
    'The fix landed: since 3 Nov 2020 no device runs CVE-1. The most were 9, on 2 Nov 2020.',
  ],
  [[4, 0, 1], '1 of 10 devices runs CVE-1 now. The most were 4, on 1 Nov 2020.'],
])('of %j says: %s', (counts, text) => {
  expect(sentence(...counts)).toBe(text)
})

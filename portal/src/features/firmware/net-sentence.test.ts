import { expect, it } from 'vitest'
import { describeNet } from './net-sentence.ts'

const some = (findingCount: number, exploitedCount = 0) => ({ findingCount, exploitedCount })

it.each([
  [some(12, 2), some(3), some(0), 'Net: 9 findings fewer, 2 known exploited fixed'],
  [some(0), some(1, 1), some(0), 'Net: 1 finding more, 1 known exploited new'],
  [some(2), some(2), some(0), 'Net: as many as before, no known exploited one among them'],
  [some(0), some(0), some(0), 'Net: no finding changes'],
  [some(0), some(0), some(22, 1), 'Net: no finding changes; 22 decided otherwise'],
])('says what a version changes', (fixed, introduced, decidedOtherwise, sentence) => {
  expect(describeNet({ fixed, introduced, decidedOtherwise })).toBe(sentence)
})

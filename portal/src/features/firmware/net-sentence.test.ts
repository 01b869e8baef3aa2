import { expect, it } from 'vitest'
import { describeNet } from './net-sentence.ts'

const part = (count: number, exploited = 0) => ({
  countsBySeverity: [{ count }],
  findings: Array.from({ length: count }, (_, index) => ({
    isKnownCisaExploit: index < exploited,
  })),
})

it.each([
  [part(12, 2), part(3), 'Net: 9 findings fewer, 2 known exploited fixed'],
  [part(0), part(1, 1), 'Net: 1 finding more, 1 known exploited new'],
  [part(2), part(2), 'Net: as many as before, no known exploited one among them'],
  [part(0), part(0), 'Net: no finding changes'],
])('says what a version changes', (fixed, introduced, sentence) => {
  expect(describeNet({ fixed, introduced })).toBe(sentence)
})

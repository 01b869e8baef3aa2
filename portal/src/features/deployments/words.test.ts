import { expect, it } from 'vitest'
import { describeGateSupport, describePhase, formatDuration } from './words.ts'

it.each([
  [86_400, '1 day'],
  [5400, '90 minutes'],
  [7200, '2 hours'],
  [61, '61 seconds'],
])('%i s are %s', (seconds, words) => {
  expect(formatDuration(seconds)).toBe(words)
})

it('says what a phase waits for, and nothing of what comes after the last', () => {
  const phase = {
    percent: 5,
    waitSeconds: 86_400,
    failureThresholdPercent: 10,
    successThresholdPercent: 90,
    comparison: null,
  }

  expect(describePhase(phase, false)).toBe(
    'stops when 10 % fail, then waits 1 day, then waits until 90 % succeeded',
  )
  expect(describePhase(phase, true)).toBe('stops when 10 % fail')
  expect(
    describePhase(
      { ...phase, waitSeconds: 0, failureThresholdPercent: null, successThresholdPercent: null },
      false,
    ),
  ).toBe('no conditions')
  const comparison = { windowSeconds: 7200, marginPercent: 10, confidencePercent: 95 }
  const compared = {
    ...comparison,
    metrics: [],
    builtIn: ['Restarts' as const],
    tooFew: 'Wait' as const,
  }
  expect(describePhase({ ...phase, waitSeconds: 0, comparison: compared }, false)).toBe(
    'stops when 10 % fail, then waits until 90 % succeeded, then waits until updated devices ran it for 2 hours and are no worse than those that wait',
  )
})

it.each`
  rule              | counts           | words
  ${'NotEnded'}     | ${[0, 3, 0, 1]}  | ${'0 components out of support'}
  ${'NotEnded'}     | ${[2, 3, 41, 0]} | ${'2 components out of support, 41 components whose support is not known'}
  ${'UntilPromise'} | ${[1, 3, 0, 0]}  | ${'1 component out of support, 3 components whose support ends before the promised day'}
  ${'UntilPromise'} | ${[0, 0, 1, 1]}  | ${'0 components out of support, no promised day, 1 component whose support is not known'}
`('says of support by $rule: $words', ({ rule, counts, words }) => {
  const [endedCount = 0, endingBeforePromiseCount = 0, notKnownCount = 0, withoutPromiseCount = 0] =
    counts as number[]

  expect(
    describeGateSupport({
      rule: rule as 'NotEnded',
      verdict: 'Fails',
      endedCount,
      endingBeforePromiseCount,
      notKnownCount,
      withoutPromiseCount,
      failing: [],
    }),
  ).toBe(words)
})

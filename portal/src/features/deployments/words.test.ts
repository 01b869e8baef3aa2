import { expect, it } from 'vitest'
import { formatDuration, describePhase } from './words.ts'

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
})

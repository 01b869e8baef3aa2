import { expect, it } from 'vitest'
import { durationOf, phaseConditions } from './words.ts'

it.each([
  [86_400, '1 day'],
  [5400, '90 minutes'],
  [7200, '2 hours'],
  [61, '61 seconds'],
])('%i s are %s', (seconds, words) => {
  expect(durationOf(seconds)).toBe(words)
})

it('says what a phase waits for, and nothing of what comes after the last', () => {
  const phase = {
    percent: 5,
    waitSeconds: 86_400,
    failureThresholdPercent: 10,
    successThresholdPercent: 90,
  }

  expect(phaseConditions(phase, false)).toBe(
    'stops when 10 % fail, then waits 1 day, then waits until 90 % are installed',
  )
  expect(phaseConditions(phase, true)).toBe('stops when 10 % fail')
  expect(
    phaseConditions(
      { ...phase, waitSeconds: 0, failureThresholdPercent: null, successThresholdPercent: null },
      false,
    ),
  ).toBe('no conditions')
})

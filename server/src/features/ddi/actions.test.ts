import { describe, expect, it } from 'vitest'
import {
  type Action,
  type Consent,
  selectOpenAction,
  parseModuleId,
  parseNumber,
} from './actions.ts'

const NOW = new Date('2026-08-22T10:00:00Z')

const OPTIONS = { forced: true, maintenanceWindow: null, confirmationRequired: false }

function action(overrides: Partial<Action> = {}): Action {
  return {
    updateId: '0198c1a0-0000-7000-8000-000000000000',
    deploymentId: '0198c1a0-0000-7000-8000-000000000001',
    attempt: 1,
    isRollback: false,
    client: 'libcurl-agent/1.0',
    number: 12,
    state: 'pending',
    reason: null,
    releasedAt: NOW,
    installedAt: null,
    finishedAt: null,
    cancelOffered: false,
    isOffered: true,
    options: OPTIONS,
    ...overrides,
  }
}

function cancelledAgo(minutes: number): Action {
  const finishedAt = new Date(NOW.getTime() - minutes * 60_000)
  return action({ number: 11, state: 'cancelled', cancelOffered: true, finishedAt })
}

const ASKS: Consent = { autoConfirm: false, answeredNumber: null, answer: null }

describe('what is open for a device', () => {
  const later = { from: '12:00', until: '13:00', utcOffset: '+00:00' }
  const waiting = action({ options: { ...OPTIONS, maintenanceWindow: later } })
  const asking = action({ options: { ...OPTIONS, confirmationRequired: true } })

  it.each([
    ['nothing', [], ASKS, undefined],
    ['an update', [action()], ASKS, 'deploy 12'],
    ['an update it works on', [action({ state: 'inProgress' })], ASKS, 'deploy 12'],
    ['one that is installed', [action({ state: 'inProgress', installedAt: NOW })], ASKS, undefined],
    ['one that waits', [action({ isOffered: false })], ASKS, undefined],
    ['none outside of its window', [waiting], ASKS, undefined],
    ['one begun in it', [{ ...waiting, state: 'inProgress' }], ASKS, 'deploy 12'],
    ['a cancellation before what follows', [cancelledAgo(59), action()], ASKS, 'cancel 11'],
    ['no cancellation it ignores for long', [cancelledAgo(60), action()], ASKS, 'deploy 12'],
    ['a cancellation alone for as long as it takes', [cancelledAgo(600)], ASKS, 'cancel 11'],
    ['what is to be confirmed', [asking], ASKS, 'confirm 12'],
    ['what it denied', [asking], { ...ASKS, answeredNumber: 12, answer: 'denied' }, 'confirm 12'],
    [
      'what it confirmed',
      [asking],
      { ...ASKS, answeredNumber: 12, answer: 'confirmed' },
      'deploy 12',
    ],
    [
      'what another was for',
      [asking],
      { ...ASKS, answeredNumber: 9, answer: 'confirmed' },
      'confirm 12',
    ],
    ['what it confirms always', [asking], { ...ASKS, autoConfirm: true }, 'deploy 12'],
  ] as const)('is %s', (_, actions, consent, expected) => {
    const open = selectOpenAction(actions, consent, NOW)

    expect(open && `${open.kind} ${open.number}`).toBe(expected)
  })
})

it('links anew when the terms of an action change', () => {
  const forced = selectOpenAction([action()], ASKS, NOW)
  const attempted = selectOpenAction(
    [action({ options: { ...OPTIONS, forced: false } })],
    ASKS,
    NOW,
  )

  expect(forced).not.toEqual(attempted)
})

it.each([
  ['1', 1],
  ['012', 12],
  ['2147483647', 2_147_483_647],
  ['2147483648', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['', undefined],
])('reads the id %s as %s', (text, number) => {
  expect(parseNumber(text)).toBe(number)
})

it('finds action and artifact in the id of a module', () => {
  expect(parseModuleId('1203')).toEqual({ number: 12, position: 3 })
})

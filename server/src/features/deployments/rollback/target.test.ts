import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../../test/property-runs.ts'
import { findRollbackTarget, type PastDeployment } from './target.ts'

/** "a1": the first version of the firmware a. */
type Version = string

type Step =
  | { type: 'deploy'; versions: readonly Version[] }
  /** Devices take the active deployment; with `fails` they try it in vain. */
  | { type: 'take'; fails: boolean }
  | { type: 'cancel' }
  | { type: 'back' }

const deploy = (...versions: Version[]): Step => ({ type: 'deploy', versions })
const take: Step = { type: 'take', fails: false }
const fail: Step = { type: 'take', fails: true }
const back: Step = { type: 'back' }
const cancel: Step = { type: 'cancel' }

interface Rollback {
  left: PastDeployment
  restored: PastDeployment | undefined
  /** As before the rollback, newest first. */
  history: readonly PastDeployment[]
}

/** Newest first. */
function play(steps: readonly Step[]): { history: PastDeployment[]; rollbacks: Rollback[] } {
  const history: PastDeployment[] = []
  const rollbacks: Rollback[] = []
  let active: PastDeployment | undefined
  const begin = (versions: PastDeployment['versions'], more: Partial<PastDeployment> = {}) => {
    active = {
      id: String(history.length),
      name: versions.map(({ firmwareVersionId }) => firmwareVersionId).join('+'),
      createdAt: new Date(history.length),
      isCancelled: false,
      rollbackOfId: null,
      restoresId: null,
      versions,
      isTaken: false,
      isTried: false,
      ...more,
    }
    history.unshift(active)
  }
  for (const step of steps) {
    if (step.type === 'deploy') {
      begin(step.versions.map((id) => ({ firmwareId: id.slice(0, 1), firmwareVersionId: id })))
      continue
    }
    if (!active) continue
    if (step.type === 'take') {
      active.isTried = true
      active.isTaken ||= !step.fails
    }
    if (step.type === 'cancel') {
      active.isCancelled = true
      active = undefined
    }
    if (step.type === 'back' && active) {
      const left: PastDeployment = active
      const { restored } = findRollbackTarget(left, history)
      rollbacks.push({ left, restored, history: [...history] })
      if (restored) begin(restored.versions, { rollbackOfId: left.id, restoresId: restored.id })
    }
  }
  return { history, rollbacks }
}

describe('a rollback restores', () => {
  it.each`
    steps                                                                                                               | expected     | because
    ${[deploy('a1'), take, deploy('a2'), take, deploy('a2'), back]}                                                     | ${'a1'}      | ${'the same versions deployed again are no predecessor'}
    ${[deploy('a1'), take, deploy('a2'), take, deploy('a2'), take, deploy('a2'), back]}                                 | ${'a1'}      | ${'however often they were'}
    ${[deploy('a2'), take, deploy('a2'), back]}                                                                         | ${undefined} | ${'there are no other versions'}
    ${[deploy('a1'), take, deploy('a2'), deploy('a3'), take, back]}                                                     | ${'a1'}      | ${'no device took the one between'}
    ${[deploy('a1'), deploy('a2'), take, back]}                                                                         | ${'a1'}      | ${'devices took none before, and it has other versions'}
    ${[deploy('a1'), take, deploy('a2'), take, cancel, deploy('a3'), take, back]}                                       | ${'a1'}      | ${'a cancelled one is nothing to go back to'}
    ${[deploy('a1'), take, deploy('a2'), take, back, deploy('a3'), take, back]}                                         | ${'a1'}      | ${'a rollback left 2, and devices never left 1'}
    ${[deploy('a1'), take, deploy('a2'), take, back, take, back]}                                                       | ${undefined} | ${'forward again is not back'}
    ${[deploy('a1'), take, deploy('a2'), fail, back, deploy('a3'), take, deploy('a2'), take, deploy('a3'), take, back]} | ${'a2'}      | ${'2 was deployed again since a rollback left it'}
    ${[deploy('a1'), take, deploy('a2'), take, deploy('a1'), take, deploy('a2'), take, back, back]}                     | ${undefined} | ${'the second would spread what the first left'}
    ${[deploy('a1'), take, deploy('b1'), take, deploy('a2'), take, back]}                                               | ${'a1'}      | ${'another firmware was deployed between'}
    ${[deploy('b1'), take, deploy('a2'), take, back]}                                                                   | ${'b1'}      | ${'nothing else came before'}
    ${[deploy('a2', 'b1'), take, deploy('a2'), take, back]}                                                             | ${undefined} | ${'it holds the same version, among others'}
    ${[deploy('a1', 'b1'), take, deploy('a2', 'b1'), take, back]}                                                       | ${'a1+b1'}   | ${'one of two versions is another'}
    ${[deploy('b1', 'a1'), take, deploy('a1', 'b1'), take, back]}                                                       | ${undefined} | ${'the order makes no other versions'}
  `('$expected, as $because', ({ steps, expected }: { steps: Step[]; expected?: string }) => {
    expect(play(steps).rollbacks.at(-1)?.restored?.name).toBe(expected)
  })
})

const versions = fc.oneof(
  fc.constantFrom(['a1'], ['a2'], ['a3']),
  fc.constantFrom(['b1'], ['a1', 'b1'], ['a2', 'b1'], ['a2', 'b2'], ['b2', 'a1']),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: versions.map((some) => deploy(...some)) },
  { weight: 4, arbitrary: fc.constantFrom(take, take, fail) },
  { weight: 1, arbitrary: fc.constant(cancel) },
  { weight: 3, arbitrary: fc.constant(back) },
)

const idsOf = ({ versions: held }: PastDeployment) =>
  held.map(({ firmwareVersionId }) => firmwareVersionId).toSorted()

/** By its definition: some rollback that is newer than the deployment took one of its versions away from devices. */
function isLeft(deployment: PastDeployment, history: readonly PastDeployment[]): boolean {
  return history.some((rollback) => {
    const from = history.find(({ id }) => id === rollback.rollbackOfId)
    return (
      from?.isTried === true &&
      rollback.createdAt > deployment.createdAt &&
      idsOf(deployment).some((id) => idsOf(from).includes(id) && !idsOf(rollback).includes(id))
    )
  })
}

describe('of any history', () => {
  it('a rollback changes versions, and spreads none that an earlier one left', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        for (const { left, restored, history } of play(steps).rollbacks) {
          if (!restored) continue
          expect(idsOf(restored)).not.toEqual(idsOf(left))
          expect(restored.isCancelled).toBe(false)
          expect(isLeft(restored, history)).toBe(false)
        }
      }),
      { numRuns: propertyRuns(5000) },
    )
  })

  it('a rollback of one firmware restores the newest other version that devices took', () => {
    const ofOne = step.filter(({ type, ...each }) =>
      type === 'deploy' && 'versions' in each
        ? each.versions.length === 1 && each.versions[0]?.startsWith('a') === true
        : true,
    )
    fc.assert(
      fc.property(fc.array(ofOne, { maxLength: 30 }), (steps) => {
        for (const { left, restored, history } of play(steps).rollbacks) {
          const root = findRoot(left, history)
          const possible = history.filter(
            (one) =>
              one.createdAt < root.createdAt &&
              !one.isCancelled &&
              idsOf(one)[0] !== idsOf(left)[0] &&
              !isLeft(one, history),
          )
          const taken = possible.find((one) => one.isTaken)
          expect(restored?.id).toBe((taken ?? possible[0])?.id)
        }
      }),
      { numRuns: propertyRuns(5000) },
    )
  })
})

function findRoot(deployment: PastDeployment, history: readonly PastDeployment[]): PastDeployment {
  const restored = history.find(({ id }) => id === deployment.restoresId)
  return restored ? findRoot(restored, history) : deployment
}

import { describe, expect, it } from 'vitest'
import { findPhaseFault, findNextStep, type Phase, type PhasedDeployment } from './phases.ts'

const began = new Date('2026-01-01T00:00:00Z')
const after = (seconds: number) => new Date(began.getTime() + seconds * 1000)
const phase = (some: Partial<Phase>): Phase => ({
  percent: 100,
  waitSeconds: 0,
  failureThresholdPercent: null,
  successThresholdPercent: null,
  comparison: null,
  ...some,
})
const running: PhasedDeployment = {
  state: 'Running',
  phases: [phase({ percent: 10, waitSeconds: 60 }), phase({})],
  phase: 0,
  phaseBeganAt: began,
  startsAt: null,
  startDeadlineSeconds: 1000,
  acceptedFailures: 0,
  comparisons: null,
}
const withFirst = (some: Partial<Phase>): PhasedDeployment => ({
  ...running,
  phases: [phase({ percent: 10, ...some }), phase({})],
})

describe('a phase', () => {
  it.each`
    deployment                                                                | succeeded | failed | seconds | step       | because
    ${running}                                                                | ${0}      | ${0}   | ${59}   | ${'-'}     | ${'it has to wait'}
    ${running}                                                                | ${0}      | ${0}   | ${60}   | ${'begin'} | ${'it has waited'}
    ${{ ...running, phase: 1 }}                                               | ${10}     | ${0}   | ${600}  | ${'-'}     | ${'it is the last'}
    ${{ ...running, state: 'Paused' }}                                        | ${0}      | ${0}   | ${600}  | ${'-'}     | ${'it is paused'}
    ${{ ...running, state: 'Stopped' }}                                       | ${0}      | ${0}   | ${600}  | ${'-'}     | ${'it stopped'}
    ${withFirst({ successThresholdPercent: 50 })}                             | ${4}      | ${0}   | ${600}  | ${'-'}     | ${'too few succeeded'}
    ${withFirst({ successThresholdPercent: 50 })}                             | ${5}      | ${0}   | ${600}  | ${'begin'} | ${'enough succeeded'}
    ${withFirst({ failureThresholdPercent: 20, waitSeconds: 999 })}           | ${0}      | ${1}   | ${1}    | ${'-'}     | ${'few failed'}
    ${withFirst({ failureThresholdPercent: 20 })}                             | ${8}      | ${2}   | ${600}  | ${'stop'}  | ${'too many failed, which comes first'}
    ${{ ...withFirst({ failureThresholdPercent: 20 }), acceptedFailures: 1 }} | ${8}      | ${2}   | ${600}  | ${'begin'} | ${'a person accepted one of them'}
    ${withFirst({ failureThresholdPercent: 100 })}                            | ${9}      | ${1}   | ${600}  | ${'begin'} | ${'not all failed'}
    ${withFirst({ successThresholdPercent: 50 })}                             | ${4}      | ${5}   | ${600}  | ${'-'}     | ${'one may still succeed'}
    ${withFirst({ successThresholdPercent: 50 })}                             | ${4}      | ${6}   | ${600}  | ${'stop'}  | ${'none can succeed any more'}
    ${withFirst({ successThresholdPercent: 80 })}                             | ${5}      | ${3}   | ${600}  | ${'stop'}  | ${'it cannot reach 80 % with the two that are open'}
    ${withFirst({ successThresholdPercent: 80 })}                             | ${5}      | ${2}   | ${600}  | ${'-'}     | ${'it reaches 80 % if all three that are open succeed'}
    ${{ ...withFirst({ successThresholdPercent: 80 }), acceptedFailures: 3 }} | ${3}      | ${3}   | ${600}  | ${'-'}     | ${'a person accepted those that failed'}
    ${withFirst({ successThresholdPercent: 50, waitSeconds: 60 })}            | ${4}      | ${6}   | ${59}   | ${'-'}     | ${'the phase has time left'}
    ${{ ...withFirst({ successThresholdPercent: 50 }), acceptedFailures: 6 }} | ${4}      | ${6}   | ${600}  | ${'begin'} | ${'a person accepted the failures'}
    ${{ ...withFirst({ successThresholdPercent: 50 }), acceptedFailures: 9 }} | ${1}      | ${9}   | ${600}  | ${'begin'} | ${'a person accepted nearly all'}
    ${{ ...withFirst({ successThresholdPercent: 90 }), acceptedFailures: 3 }} | ${5}      | ${5}   | ${600}  | ${'stop'}  | ${'more failed since a person accepted some'}
  `(
    'goes on or not, as $because',
    (row: {
      deployment: PhasedDeployment
      succeeded: number
      failed: number
      seconds: number
      step: string
    }) => {
      const { succeeded, failed } = row
      const step = findNextStep(
        row.deployment,
        { released: 10, succeeded, failed },
        after(row.seconds),
      )

      expect(step?.type ?? '-').toBe(row.step)
    },
  )

  it('begins when the deployment is to start', () => {
    const scheduled = { ...running, state: 'Scheduled', phaseBeganAt: null, startsAt: after(10) }
    const none = { released: 0, succeeded: 0, failed: 0 }

    expect(findNextStep(scheduled, none, after(9))).toBeUndefined()
    expect(findNextStep(scheduled, none, after(10))).toEqual({ type: 'begin', phase: 0 })
  })

  it.each`
    percents         | index
    ${[10, 100]}     | ${undefined}
    ${[100]}         | ${undefined}
    ${[10]}          | ${0}
    ${[50, 50, 100]} | ${1}
    ${[100, 100]}    | ${1}
    ${[50, 20, 100]} | ${1}
    ${[]}            | ${-1}
  `(
    'of the percentages $percents: fault at $index',
    ({ percents, index }: { percents: number[]; index: number | undefined }) => {
      const phases = percents.map((percent) => phase({ percent }))

      expect(findPhaseFault(phases)?.index).toBe(index)
    },
  )
})

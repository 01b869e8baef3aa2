/** What a new deployment will be, as far as it was filled in. */
import type { Deployment } from '@plimsoll/api-client'
import type { PhasesName } from '../../searches.ts'
import { type ComparisonPlan, findComparisonFault, writeComparison } from './comparison-plan.ts'

export interface PhasePlan {
  /** The share of all devices, including those of earlier phases. */
  percent: number
  /** Empty: the next phase need not wait. */
  waitSeconds: number | ''
  /** In percent; empty where it never stops. */
  failureThreshold: number | ''
  /** In percent; empty where the next phase waits for no success. */
  successThreshold: number | ''
  /** With devices that wait; null: none. */
  comparison: ComparisonPlan | null
}

/** What holds for each device. */
export interface EachDevicePlan extends Pick<
  Deployment,
  'forced' | 'maintenanceWindow' | 'confirmationRequired'
> {
  startDeadlineSeconds: number | ''
  deviceDeadlineSeconds: number | ''
  maxAttempts: number | ''
}

export interface Plan extends EachDevicePlan {
  name: string
  phases: readonly PhasePlan[]
  /** `YYYY-MM-DDTHH:MM` in the reader's zone; empty for at once. */
  startsAt: string
  /** Why the release gate is overruled; needed where it blocks. */
  reason: string
  note: string
}

const HOUR = 3600
const DAY = 24 * HOUR

const CAREFUL: readonly PhasePlan[] = [
  { percent: 5, waitSeconds: DAY, failureThreshold: 5, successThreshold: '', comparison: null },
  { percent: 50, waitSeconds: DAY, failureThreshold: 5, successThreshold: '', comparison: null },
  { percent: 100, waitSeconds: '', failureThreshold: 5, successThreshold: '', comparison: null },
]

export const PRESETS: readonly {
  id: PhasesName
  name: string
  phases: readonly PhasePlan[]
}[] = [
  { id: 'careful', name: 'Careful: 5 %, half, everyone', phases: CAREFUL },
  {
    id: 'two',
    name: 'Two steps: 10 %, everyone',
    phases: [
      {
        percent: 10,
        waitSeconds: 4 * HOUR,
        failureThreshold: 10,
        successThreshold: '',
        comparison: null,
      },
      {
        percent: 100,
        waitSeconds: '',
        failureThreshold: 10,
        successThreshold: '',
        comparison: null,
      },
    ],
  },
  {
    id: 'all',
    name: 'Everyone at once',
    phases: [
      {
        percent: 100,
        waitSeconds: '',
        failureThreshold: '',
        successThreshold: '',
        comparison: null,
      },
    ],
  },
]

export const FIRST_PLAN: Plan = {
  name: '',
  phases: CAREFUL,
  startsAt: '',
  reason: '',
  note: '',
  startDeadlineSeconds: 90 * DAY,
  deviceDeadlineSeconds: DAY,
  maxAttempts: 1,
  maintenanceWindow: null,
  confirmationRequired: false,
  forced: true,
}

/** As the address names them. */
export function findPhases(name: PhasesName | undefined): readonly PhasePlan[] {
  return PRESETS.find(({ id }) => id === name)?.phases ?? CAREFUL
}

/** What can still be changed of it once it is created. */
export type LastingPlan = Omit<Plan, 'reason'>

/** Why it cannot be sent; undefined where it can. */
export function findFault(plan: LastingPlan): string | undefined {
  if (plan.name.trim() === '') return 'The deployment needs a name.'
  if (plan.startsAt !== '' && Number.isNaN(new Date(plan.startsAt).getTime()))
    return 'The start is not a date.'
  return findPhaseFault(plan) ?? findEachDeviceFault(plan)
}

function findPhaseFault({ phases }: LastingPlan): string | undefined {
  const rises = phases.every((phase, index) => {
    const before = phases[index - 1]?.percent ?? 0
    return phase.percent > before && phase.percent <= 100
  })
  if (!rises) return 'Each phase must reach more devices than the one before.'
  if (phases.at(-1)?.percent !== 100) return 'The last phase must reach 100 %.'
  return phases
    .slice(0, -1)
    .map(({ comparison }) => comparison && findComparisonFault(comparison))
    .find((fault) => typeof fault === 'string')
}

function findEachDeviceFault(plan: EachDevicePlan): string | undefined {
  const { startDeadlineSeconds, deviceDeadlineSeconds, maintenanceWindow: hours } = plan
  if (startDeadlineSeconds === '' || deviceDeadlineSeconds === '')
    return 'Each device needs a time within which it begins, and one within which it is done.'
  if (plan.maxAttempts === '') return 'Each device needs a number of attempts.'
  if (hours?.from === '' || hours?.until === '')
    return 'The hours of the day need a beginning and an end.'
  return undefined
}

export function writeBody(plan: Plan, firmwareVersionId: string) {
  const reason = plan.reason.trim()
  return {
    ...writePlan(plan),
    artifacts: [{ firmwareVersionId }],
    ...(reason !== '' && { acknowledgement: { reason } }),
  }
}

/** As the service takes it, whole. */
export function writePlan(plan: LastingPlan) {
  const { name, note, phases, startsAt, maintenanceWindow, confirmationRequired, forced } = plan
  return {
    name: name.trim(),
    note: note.trim() === '' ? null : note.trim(),
    startsAt: startsAt === '' ? null : new Date(startsAt).toISOString(),
    phases: phases.map((phase, index) => bodyOfPhase(phase, index === phases.length - 1)),
    startDeadlineSeconds: Number(plan.startDeadlineSeconds),
    deviceDeadlineSeconds: Number(plan.deviceDeadlineSeconds),
    maxAttempts: Number(plan.maxAttempts),
    maintenanceWindow,
    confirmationRequired,
    forced,
  }
}

function bodyOfPhase(
  { percent, waitSeconds, failureThreshold, successThreshold, comparison }: PhasePlan,
  isLast: boolean,
) {
  return {
    percent,
    waitSeconds: isLast ? 0 : Number(waitSeconds),
    ...(failureThreshold !== '' && { failureThresholdPercent: failureThreshold }),
    // The last phase has none after it that could wait.
    ...(!isLast && successThreshold !== '' && { successThresholdPercent: successThreshold }),
    ...(!isLast && comparison && { comparison: writeComparison(comparison) }),
  }
}

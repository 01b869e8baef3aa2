/** What a new deployment will be, as far as it was filled in. */
import { ApiProblem } from '@plimsoll/api-client'

export interface PhasePlan {
  /** Of all devices, including those of earlier phases. */
  percent: number
  waitHours: number
  /** In percent; empty where it never stops. */
  failureThreshold: number | ''
}

export interface Plan {
  name: string
  phases: readonly PhasePlan[]
  /** `YYYY-MM-DDTHH:MM` in the reader's zone; empty for at once. */
  startsAt: string
  /** Why the release gate is overruled; needed where it blocks. */
  reason: string
}

const CAREFUL: readonly PhasePlan[] = [
  { percent: 5, waitHours: 24, failureThreshold: 5 },
  { percent: 50, waitHours: 24, failureThreshold: 5 },
  { percent: 100, waitHours: 0, failureThreshold: 5 },
]

export const PRESETS: readonly { name: string; phases: readonly PhasePlan[] }[] = [
  { name: 'Careful: 5 %, half, everyone', phases: CAREFUL },
  {
    name: 'Two steps: 10 %, everyone',
    phases: [
      { percent: 10, waitHours: 4, failureThreshold: 10 },
      { percent: 100, waitHours: 0, failureThreshold: 10 },
    ],
  },
  {
    name: 'Everyone at once',
    phases: [{ percent: 100, waitHours: 0, failureThreshold: '' }],
  },
]

export const FIRST_PLAN: Plan = { name: '', phases: CAREFUL, startsAt: '', reason: '' }

/** Why it cannot be sent; undefined where it can. */
export function faultOf({ name, phases, startsAt }: Plan): string | undefined {
  if (name.trim() === '') return 'The deployment needs a name.'
  const rises = phases.every((phase, index) => {
    const before = phases[index - 1]?.percent ?? 0
    return phase.percent > before && phase.percent <= 100
  })
  if (!rises) return 'Each phase must reach more devices than the one before.'
  if (phases.at(-1)?.percent !== 100) return 'The last phase must reach 100 %.'
  if (startsAt !== '' && Number.isNaN(new Date(startsAt).getTime()))
    return 'The start is not a date.'
  return undefined
}

export function bodyOf(plan: Plan, firmwareVersionId: string) {
  const { name, phases, startsAt, reason } = plan
  return {
    name: name.trim(),
    artifacts: [{ firmwareVersionId }],
    phases: phases.map(({ percent, waitHours, failureThreshold }, index) => ({
      percent,
      waitSeconds: index === phases.length - 1 ? 0 : Math.round(waitHours * 3600),
      ...(failureThreshold !== '' && { failureThresholdPercent: failureThreshold }),
    })),
    ...(startsAt !== '' && { startsAt: new Date(startsAt).toISOString() }),
    ...(reason.trim() !== '' && { acknowledgement: { reason: reason.trim() } }),
  }
}

/** The version has no file that devices could install. */
export const lacksArtifact = (error: unknown): boolean =>
  error instanceof ApiProblem && error.problem.type.endsWith('artifact-missing')

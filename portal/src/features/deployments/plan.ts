/** What a new deployment will be, as far as it was filled in. */

import type { PhasesName } from '../../searches.ts'

export interface PhasePlan {
  /** The share of all devices, including those of earlier phases. */
  percent: number
  waitHours: number
  /** In percent; empty where it never stops. */
  failureThreshold: number | ''
  /** In percent; empty where the next phase waits for no success. */
  successThreshold: number | ''
}

export interface Plan {
  name: string
  phases: readonly PhasePlan[]
  /** `YYYY-MM-DDTHH:MM` in the reader's zone; empty for at once. */
  startsAt: string
  /** Why the release gate is overruled; needed where it blocks. */
  reason: string
  note: string
}

const CAREFUL: readonly PhasePlan[] = [
  { percent: 5, waitHours: 24, failureThreshold: 5, successThreshold: '' },
  { percent: 50, waitHours: 24, failureThreshold: 5, successThreshold: '' },
  { percent: 100, waitHours: 0, failureThreshold: 5, successThreshold: '' },
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
      { percent: 10, waitHours: 4, failureThreshold: 10, successThreshold: '' },
      { percent: 100, waitHours: 0, failureThreshold: 10, successThreshold: '' },
    ],
  },
  {
    id: 'all',
    name: 'Everyone at once',
    phases: [{ percent: 100, waitHours: 0, failureThreshold: '', successThreshold: '' }],
  },
]

export const FIRST_PLAN: Plan = { name: '', phases: CAREFUL, startsAt: '', reason: '', note: '' }

/** As the address names them. */
export function findPhases(name: PhasesName | undefined): readonly PhasePlan[] {
  return PRESETS.find(({ id }) => id === name)?.phases ?? CAREFUL
}

/** Why it cannot be sent; undefined where it can. */
export function findFault({
  name,
  phases,
  startsAt,
}: Pick<Plan, 'name' | 'phases' | 'startsAt'>): string | undefined {
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

export function writeBody(plan: Plan, firmwareVersionId: string) {
  const { name, phases, startsAt, reason, note } = plan
  return {
    name: name.trim(),
    artifacts: [{ firmwareVersionId }],
    phases: writePhases(phases),
    ...(note.trim() !== '' && { note: note.trim() }),
    ...(startsAt !== '' && { startsAt: new Date(startsAt).toISOString() }),
    ...(reason.trim() !== '' && { acknowledgement: { reason: reason.trim() } }),
  }
}

export const writePhases = (phases: readonly PhasePlan[]) =>
  phases.map((phase, index) => bodyOfPhase(phase, index === phases.length - 1))

function bodyOfPhase(
  { percent, waitHours, failureThreshold, successThreshold }: PhasePlan,
  isLast: boolean,
) {
  return {
    percent,
    waitSeconds: isLast ? 0 : Math.round(waitHours * 3600),
    ...(failureThreshold !== '' && { failureThresholdPercent: failureThreshold }),
    // The last phase has none after it that could wait.
    ...(!isLast && successThreshold !== '' && { successThresholdPercent: successThreshold }),
  }
}

/** A deployment that is under way, as far as it can be changed, and what two people made of it at the same time. */
import type { Deployment } from '@plimsoll/api-client'
import { formatForField } from '../../format/dates.ts'
import { listDifferences, pickMembers } from '../../components/merged-values.ts'
import { type LastingPlan, type PhasePlan, writePlan } from './plan.ts'

export function readPlan({ note, phases, startsAt, ...deployment }: Deployment): LastingPlan {
  const { name, startDeadlineSeconds, deviceDeadlineSeconds, maxAttempts } = deployment
  const { maintenanceWindow, confirmationRequired, forced } = deployment
  return {
    name,
    note: note ?? '',
    startsAt: startsAt === null ? '' : formatForField(new Date(startsAt)),
    phases: phases.map((phase) => ({
      percent: phase.percent,
      waitSeconds: phase.waitSeconds,
      failureThreshold: phase.failureThresholdPercent ?? '',
      successThreshold: phase.successThresholdPercent ?? '',
      comparison: phase.comparison,
    })),
    startDeadlineSeconds,
    deviceDeadlineSeconds,
    maxAttempts,
    maintenanceWindow,
    confirmationRequired,
    forced,
  }
}

/** Undefined: it has not begun. */
export function findBegun(
  { phase: present }: Pick<Deployment, 'phase'>,
  index: number,
): 'all' | 'percent' | undefined {
  if (present === null || index > present) return undefined
  return index === present ? 'percent' : 'all'
}

type Part = keyof LastingPlan

export const PARTS: Record<Part, string> = {
  name: 'the name',
  note: 'the note',
  phases: 'phases',
  startsAt: 'the start',
  startDeadlineSeconds: 'when devices begin at the latest',
  deviceDeadlineSeconds: 'when devices are done at the latest',
  maxAttempts: 'the attempts',
  maintenanceWindow: 'the hours of the day',
  confirmationRequired: 'whether users are asked',
  forced: 'whether it installs at once',
}

/** Only what changes is sent; `former` puts it back, and `parts` says what it is. */
export function planChanges(mine: LastingPlan, before: Deployment) {
  const wanted = writePlan(mine)
  const differing = new Set<string>(listDifferences(wanted, writePlan(readPlan(before))))
  const parts = (Object.keys(PARTS) as Part[]).filter((part) => differing.has(part))
  // What is over stays to the last second.
  const phases = wanted.phases.map((phase, index) =>
    findBegun(before, index) === 'all' ? (before.phases[index] ?? phase) : phase,
  )
  return {
    body: pickMembers({ ...wanted, phases }, parts),
    former: pickMembers(before, parts),
    parts: parts.map((part) => PARTS[part]),
  }
}

/** Before the last one, which reaches all: half-way from the one before. */
export function addPhase(phases: readonly PhasePlan[]): readonly PhasePlan[] {
  const last = phases.at(-1)
  if (!last) return phases
  const before = phases.at(-2)?.percent ?? 0
  const percent = Math.max(before + 1, Math.round((before + 100) / 2))
  return [
    ...phases.slice(0, -1),
    { ...last, percent, waitSeconds: 86_400, comparison: phases.at(-2)?.comparison ?? null },
    last,
  ]
}

/** A deployment that is under way, as far as it can be changed, and what two people made of it at the same time. */
import type { Deployment } from '@plimsoll/api-client'
import { formatForField } from '../../format/dates.ts'
import { type PhasePlan, type Plan, writePhases } from './plan.ts'

export type ChangedPlan = Pick<Plan, 'name' | 'note' | 'phases' | 'startsAt'>

const HOUR = 3600

export function readPlan({ name, note, phases, startsAt }: Deployment): ChangedPlan {
  return {
    name,
    note: note ?? '',
    startsAt: startsAt === null ? '' : formatForField(new Date(startsAt)),
    phases: phases.map((phase) => ({
      percent: phase.percent,
      waitHours: phase.waitSeconds / HOUR,
      failureThreshold: phase.failureThresholdPercent ?? '',
      successThreshold: phase.successThresholdPercent ?? '',
    })),
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

type Part = keyof ChangedPlan

const PARTS = { name: 'the name', note: 'the note', phases: 'phases', startsAt: 'the start' }

const listParts = (one: ChangedPlan, other: ChangedPlan): Part[] =>
  (Object.keys(PARTS) as Part[]).filter(
    (part) => JSON.stringify(one[part]) !== JSON.stringify(other[part]),
  )

/** What was typed stays; the rest is as the others have it now. */
export function mergePlans(mine: ChangedPlan, before: ChangedPlan, theirs: ChangedPlan) {
  const typed = new Set(listParts(mine, before))
  const changed = listParts(theirs, before)
  const kept = Object.fromEntries([...typed].map((part) => [part, mine[part]]))
  return {
    plan: { ...theirs, ...kept },
    changed: changed.map((part) => PARTS[part]),
    both: changed.filter((part) => typed.has(part)).map((part) => PARTS[part]),
  }
}

/** Only what changes is sent. */
export function writeChanges(mine: ChangedPlan, before: Deployment) {
  const changed = new Set(listParts(mine, readPlan(before)))
  const { name, note, startsAt } = mine
  return {
    ...(changed.has('name') && { name: name.trim() }),
    ...(changed.has('note') && { note: note.trim() === '' ? null : note.trim() }),
    ...(changed.has('startsAt') && {
      startsAt: startsAt === '' ? null : new Date(startsAt).toISOString(),
    }),
    ...(changed.has('phases') && {
      // What is over is compared to the last second.
      phases: writePhases(mine.phases).map((phase, index) =>
        findBegun(before, index) === 'all' ? (before.phases[index] ?? phase) : phase,
      ),
    }),
  }
}

/** Before the last one, which reaches all: half-way from the one before. */
export function addPhase(phases: readonly PhasePlan[]): readonly PhasePlan[] {
  const last = phases.at(-1)
  if (!last) return phases
  const before = phases.at(-2)?.percent ?? 0
  const percent = Math.max(before + 1, Math.round((before + 100) / 2))
  return [...phases.slice(0, -1), { ...last, percent, waitHours: 24 }, last]
}

/** A roll-out in phases: how many devices have the update, when the next ones get it, and when the roll-out stops. */
import { addMs, DAY_MINUTES, SECOND_MS } from '../../formats/instants.ts'
import type { ComparisonPlan, StoredPhaseComparison } from '../comparisons/index.ts'

export interface Phase {
  /** The share of all devices, including those of earlier phases. */
  percent: number
  /** Minimum time from the start of this phase to the start of the next. */
  waitSeconds: number
  /** The roll-out stops when this percentage of the released updates has failed. */
  failureThresholdPercent: number | null
  /** The next phase waits until this percentage of the released updates has succeeded. */
  successThresholdPercent: number | null
  /** The next phase begins only if updated devices do no worse than those that wait; null: nothing is compared. */
  comparison: ComparisonPlan | null
}

/** All devices at once. */
export const ONE_PHASE: readonly Phase[] = [
  {
    percent: 100,
    waitSeconds: 0,
    failureThresholdPercent: null,
    successThresholdPercent: null,
    comparison: null,
  },
]

export interface PhasedDeployment {
  state: string
  phases: readonly Phase[]
  phase: number
  phaseBeganAt: Date | null
  startsAt: Date | null
  startDeadlineSeconds: number
  acceptedFailures: number
  /** What comparisons found, of the phases that ask for them. null or without a phase: nobody looked yet. */
  comparisons: readonly StoredPhaseComparison[] | null
}

export function startDeadline(
  { startDeadlineSeconds }: { startDeadlineSeconds: number },
  now: Date,
): Date {
  return addMs(now, startDeadlineSeconds * SECOND_MS)
}

/** Devices that join a running roll-out wait for its last phase. */
export function releaseForJoining(
  deployment: PhasedDeployment,
  now: Date,
): { releasedAt: Date | null; deadlineAt: Date | null } {
  const isOpenToAll =
    deployment.phaseBeganAt !== null && deployment.phases[deployment.phase]?.percent === 100
  if (!isOpenToAll) return { releasedAt: null, deadlineAt: null }
  return { releasedAt: now, deadlineAt: startDeadline(deployment, now) }
}

export type PhaseStep = { type: 'begin'; phase: number } | { type: 'stop'; reason: string }

/** The step that is due now; undefined: none. */
export function findNextStep(
  deployment: PhasedDeployment,
  counts: { released: number; succeeded: number; failed: number },
  now: Date,
): PhaseStep | undefined {
  const { state, startsAt } = deployment
  if (state === 'Scheduled')
    return startsAt === null || startsAt <= now ? { type: 'begin', phase: 0 } : undefined
  if (state !== 'Running') return undefined
  return (
    stopAfterFailures(deployment, counts) ??
    stopAfterComparison(deployment) ??
    stepAfterPhase(deployment, counts, now)
  )
}

/** What holds the phase or stops the roll-out; undefined: nothing was asked, or it passed, or a person accepted what was found. */
export function findHeldComparison({
  phases,
  phase,
  comparisons,
}: Pick<PhasedDeployment, 'phases' | 'phase' | 'comparisons'>):
  | { state: 'Waiting' | 'TooFew' | 'Worse'; reason: string | null; stops: boolean }
  | undefined {
  const plan = phases[phase]?.comparison
  if (!plan) return undefined
  const found = comparisons?.find((one) => one.phase === phase)
  if (!found) return { state: 'Waiting', reason: null, stops: false }
  const { state, reason, accepted } = found
  if (accepted || state === 'Passed' || state === 'NotAsked') return undefined
  const stops = state === 'Worse' || (state === 'TooFew' && plan.tooFew === 'Stop')
  return { state, reason, stops }
}

/** Also before the time of the phase is over: each further device would do worse as well. */
function stopAfterComparison(deployment: PhasedDeployment): PhaseStep | undefined {
  const held = findHeldComparison(deployment)
  return held?.stops ? { type: 'stop', reason: held.reason ?? held.state } : undefined
}

function stopAfterFailures(
  { phases, phase, acceptedFailures }: PhasedDeployment,
  { released, failed }: { released: number; failed: number },
): PhaseStep | undefined {
  const threshold = phases[phase]?.failureThresholdPercent ?? null
  const failures = failed - acceptedFailures
  if (threshold === null || failures <= 0) return undefined
  if (failures * 100 < threshold * released) return undefined
  return {
    type: 'stop',
    reason: `${failures} of ${released} device updates failed; the roll-out stops at ${threshold} %`,
  }
}

/**
 * Decides what follows when the time of the phase is over. Open updates hold the phase as long as it can reach its percentage with
 * them; otherwise the wait would never end. Failures that a person has accepted count neither way.
 */
function stepAfterPhase(
  deployment: PhasedDeployment,
  { released, succeeded, failed }: { released: number; succeeded: number; failed: number },
  now: Date,
): PhaseStep | undefined {
  const { phases, phase, phaseBeganAt, acceptedFailures } = deployment
  const current = phases[phase]
  if (!current || phase + 1 >= phases.length || phaseBeganAt === null) return undefined
  if (now < addMs(phaseBeganAt, current.waitSeconds * SECOND_MS)) return undefined
  const counted = released - Math.min(acceptedFailures, failed)
  const threshold = current.successThresholdPercent ?? 0
  if (succeeded * 100 >= threshold * counted)
    return findHeldComparison(deployment) ? undefined : { type: 'begin', phase: phase + 1 }
  const open = released - succeeded - failed
  if ((succeeded + open) * 100 >= threshold * counted) return undefined
  const rest = open === 0 ? 'none is open' : `only ${open} ${open === 1 ? 'is' : 'are'} open`
  return {
    type: 'stop',
    reason: `${succeeded} of ${counted} device updates of phase ${phase + 1} succeeded and ${rest}; the next phase begins at ${threshold} %`,
  }
}

/** Why the phases are invalid, with the index of the invalid one. */
export function findPhaseFault(
  phases: readonly Phase[],
): { index: number; member: 'percent' | 'comparison'; detail: string } | undefined {
  for (const [index, { percent }] of phases.entries()) {
    if (percent <= (phases[index - 1]?.percent ?? 0))
      return {
        index,
        member: 'percent',
        detail: 'Each phase must have a higher percentage than the one before.',
      }
  }
  const last = phases.length - 1
  if (phases[last]?.percent !== 100)
    return { index: last, member: 'percent', detail: 'The last phase must reach 100 percent.' }
  if (phases[last].comparison)
    return {
      index: last,
      member: 'comparison',
      detail:
        'The last phase cannot ask for a comparison: no devices wait after it, and no phase follows.',
    }
  return undefined
}

/** The hours of the day in which devices may begin an update. */
export interface MaintenanceWindow {
  /** `HH:MM`. When `until` is not later than `from`, the window ends on the next day. */
  from: string
  until: string
  /** The UTC offset of the devices: `+02:00`. */
  utcOffset: string
}

/** When the current window began; undefined outside the window. */
export function findWindowStart(window: MaintenanceWindow, now: Date): Date | undefined {
  const { from, until } = readWindow(window)
  const minute = Math.floor(now.getTime() / 60_000)
  const length = (until - from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
  const since = (((minute - from) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES
  return since < length ? new Date((minute - since) * 60_000) : undefined
}

export function isInWindow(window: MaintenanceWindow | null | undefined, now: Date): boolean {
  return !window || findWindowStart(window, now) !== undefined
}

/** The window in minutes of the day, in UTC. */
function readWindow({ from, until, utcOffset }: MaintenanceWindow): {
  from: number
  until: number
} {
  const sign = utcOffset.startsWith('-') ? -1 : 1
  const offset = sign * parseMinutes(utcOffset.slice(1))
  return { from: parseMinutes(from) - offset, until: parseMinutes(until) - offset }
}

function parseMinutes(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

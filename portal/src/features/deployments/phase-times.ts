/** When each phase of a roll-out ran and was held, and when the next ones come. Times are milliseconds since 1970. */
import type { Deployment } from '@plimsoll/api-client'
import { findMax } from '../../components/extremes.ts'

export type DeploymentTimes = Pick<
  Deployment,
  'phases' | 'phase' | 'state' | 'isActive' | 'events' | 'startsAt' | 'createdAt' | 'endedAt'
>

/** No further device began in it, by a person or by a failure threshold. */
interface Hold {
  from: number
  to: number
  isStop: boolean
}

export interface PhaseTime {
  /** undefined: it did not begin. */
  beganAt: number | undefined
  /** When the next one began, or the deployment ended; undefined: it did not end. */
  endedAt: number | undefined
  /** When a phase may begin at the earliest. */
  notBefore: number | undefined
  holds: Hold[]
}

export function listPhaseTimes(deployment: DeploymentTimes, now: number): PhaseTime[] {
  const begins = beginsOf(deployment)
  const ended = endOf(deployment)
  const holds = holdsOf(deployment, ended ?? now)
  let earliest = timeOf(deployment.startsAt ?? deployment.createdAt)
  return deployment.phases.map(({ waitSeconds }, index) => {
    const beganAt = begins.get(index)
    const endedAt = beganAt === undefined ? undefined : (begins.get(index + 1) ?? ended)
    const isToCome = beganAt === undefined && deployment.isActive
    const notBefore = isToCome ? Math.max(earliest, now) : undefined
    earliest = (beganAt ?? notBefore ?? earliest) + waitSeconds * 1000
    const until = endedAt ?? now
    const own =
      beganAt === undefined ? [] : holds.filter(({ from }) => from >= beganAt && from < until)
    return { beganAt, endedAt, notBefore, holds: own }
  })
}

/** The whole time line: from the first phase to now or the end, or to the earliest begin of the last phase. */
export function findRange(
  times: readonly PhaseTime[],
  { isActive, endedAt, createdAt }: DeploymentTimes,
  now: number,
): [number, number] {
  const from = times[0]?.beganAt ?? times[0]?.notBefore ?? timeOf(createdAt)
  const last = isActive ? now : timeOf(endedAt ?? createdAt)
  const coming = times.flatMap(({ notBefore }) => notBefore ?? [])
  const to = findMax(coming, Math.max(last, from + SHORTEST))
  // Room for what has no end yet.
  return [from, isActive ? to + (to - from) * 0.08 : to]
}

const SHORTEST = 60_000
const timeOf = (instant: string) => new Date(instant).getTime()

function beginsOf({ events, phase, createdAt }: DeploymentTimes): Map<number, number> {
  const begins = new Map<number, number>()
  if (phase !== null) begins.set(0, timeOf(createdAt))
  for (const event of events)
    if (event.type === 'PhaseBegan' && event.phase !== null)
      begins.set(event.phase, timeOf(event.at))
  return begins
}

const endOf = ({ endedAt }: DeploymentTimes) => (endedAt === null ? undefined : timeOf(endedAt))

function holdsOf({ events }: DeploymentTimes, end: number): Hold[] {
  const holds: Hold[] = []
  let open: Hold | undefined
  for (const { type, at } of events) {
    const isHeld = type === 'Paused' || type === 'Stopped'
    if (type === 'PhaseBegan' || (isHeld && open?.isStop === (type === 'Stopped'))) continue
    if (open) holds.push({ ...open, to: timeOf(at) })
    open = isHeld ? { from: timeOf(at), to: end, isStop: type === 'Stopped' } : undefined
  }
  return open ? [...holds, open] : holds
}

/** What is said of deployments. */
import type {
  Deployment,
  DeploymentListItem,
  DeviceUpdateStateCounts,
  GateSupport,
} from '@plimsoll/api-client'
import type { Tone } from '../../components/tag.tsx'
import { DEVICE_STATES, UPDATE_STATES } from '../../components/update-states.ts'
import { formatCountOf, formatCount } from '../../format/counts.ts'

export const DEPLOYMENT_TONES: Record<Deployment['state'], Tone> = {
  Scheduled: 'accent',
  Running: 'accent',
  Paused: 'warn',
  Stopped: 'danger',
  Superseded: 'muted',
  Cancelled: 'muted',
}

/** "2 components out of support, 41 components whose support is not known". */
export function describeGateSupport(support: GateSupport): string {
  const { rule, endedCount, endingBeforePromiseCount, notKnownCount } = support
  const asksPromise = rule === 'UntilPromise'
  const parts = [
    `${formatCountOf(endedCount, 'component')} out of support`,
    asksPromise &&
      endingBeforePromiseCount > 0 &&
      `${formatCountOf(endingBeforePromiseCount, 'component')} whose support ends before the promised day`,
    asksPromise && support.withoutPromiseCount > 0 && 'no promised day',
    notKnownCount > 0 && `${formatCountOf(notKnownCount, 'component')} whose support is not known`,
  ]
  return parts.filter((one) => one !== false).join(', ')
}

const countAll = (counts: DeviceUpdateStateCounts): number =>
  UPDATE_STATES.reduce((sum, state) => sum + counts[state], 0)

/** "312 of 1,150 devices report 4.2.1": not how far their updates are. */
export function describeProgress(deployment: Deployment): string {
  const total = countDevices(deployment)
  if (total === 0) return describeEmpty(deployment)
  const { reporting } = deployment.deviceCounts
  return `${formatCount(reporting)} of ${formatCountOf(total, 'device')} ${reporting === 1 ? 'reports' : 'report'} ${nameVersions(deployment)}`
}

export const nameVersions = ({ artifacts }: Pick<Deployment, 'artifacts'>): string =>
  artifacts.map(({ firmware }) => firmware.firmwareVersion.name).join(' and ')

export const describeEmpty = (deployment: Deployment): string =>
  `No device is in this cohort yet; the first that joins gets ${nameVersions(deployment)}`

type Counted = Pick<Deployment, 'deviceCounts'>

/** The devices of the deployment that are in its cohort: all of the cohort while it is active. */
export const countDevices = ({ deviceCounts }: Counted): number =>
  DEVICE_STATES.reduce((sum, state) => sum + deviceCounts[state], 0) - deviceCounts.left

/** The devices that a percentage of a phase is of, as the service reckons: those that left without an end of their update count no more. */
export function countPlanned({
  isActive,
  deviceUpdateStateCounts: counts,
}: Pick<Deployment, 'isActive' | 'deviceUpdateStateCounts'>): number {
  return countAll(counts) - (isActive ? counts.cancelled : 0)
}

/** The main artifact; a deployment always has one. */
export const findMain = ({ artifacts }: Pick<DeploymentListItem, 'artifacts'>) =>
  artifacts.find(({ firmware }) => firmware.isMain) ?? artifacts[0]

/** "stops when 5 % fail, then waits 1 day, then waits until 90 % succeeded". */
export function describePhase(phase: Deployment['phases'][number], isLast: boolean): string {
  const { failureThresholdPercent, successThresholdPercent, waitSeconds, comparison } = phase
  const conditions = [
    failureThresholdPercent !== null && `stops when ${failureThresholdPercent} % fail`,
    !isLast && waitSeconds > 0 && `waits ${formatDuration(waitSeconds)}`,
    !isLast &&
      successThresholdPercent !== null &&
      `waits until ${successThresholdPercent} % succeeded`,
    !isLast &&
      comparison !== null &&
      `waits until updated devices ran it for ${formatDuration(comparison.windowSeconds)} and are no worse than those that wait`,
  ].filter((one) => one !== false)
  return conditions.length === 0 ? 'no conditions' : conditions.join(', then ')
}

/** "ada@example.com rolled it back", before an instant. */
export function describeEvent({ type, byEmail, reason }: Deployment['events'][number]): string {
  if (type === 'Stopped') return 'since'
  const who = byEmail ?? 'an API key'
  if (type === 'Superseded')
    return `${who} ${reason === 'rolled back' ? 'rolled it back' : 'replaced it'}`
  return `${who} ${DEEDS[type]}`
}

const DEEDS = {
  PhaseBegan: 'began a phase',
  Paused: 'paused it',
  Resumed: 'resumed it',
  Cancelled: 'cancelled it',
} as const

export const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

export type UnitSize = (typeof UNITS)[number][0]

const HOUR = 3600

/** The largest unit that it is a whole number of; hours where there is nothing yet. */
export const findUnit = (seconds: number | ''): UnitSize =>
  UNITS.find(([unit]) => Number(seconds) > 0 && Number(seconds) % unit === 0)?.[0] ?? HOUR

/** 5400 → "90 minutes". */
export function formatDuration(seconds: number): string {
  const size = findUnit(seconds)
  return formatCountOf(seconds / size, UNITS.find(([unit]) => unit === size)?.[1] ?? 'hour')
}

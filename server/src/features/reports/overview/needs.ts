/** What a workspace asks of its people now: one queue, worst first, in words. */
import type { Severity } from '../../../formats/advisories/model.ts'
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import type { FeedSource } from '../../../formats/feed-files.ts'
import type { BlindSpotKind } from '../../devices/index.ts'
import type { WorkspaceFindingFilter } from '../../findings/index.ts'
import type { FiringAlerts } from '../reactions.ts'

/** In this order. */
export const NEED_KINDS = [
  'Exploited',
  'FiringAlert',
  'NewCritical',
  'UndecidedCritical',
  'Overdue',
  'StalledDeployment',
  'NewHigh',
  'FailedSbom',
  'StaleSource',
  'PastSupport',
  'OtherImage',
  'UnknownFirmware',
  'Recheck',
] as const

export interface Need {
  kind: (typeof NEED_KINDS)[number]
  count: number
  /** Concerned devices; null: it is not about devices. */
  devices: number | null
  severity: Severity | null
  text: string
  detail: string | null
  target: Target
}

/** What to open: the ids or the filter of a list. */
interface Target {
  /** The filter of POST …/vulnerabilities/list, whose total is the count. */
  findingFilter?: WorkspaceFindingFilter
  deploymentCohortId?: string
  deploymentId?: string
  firmwareVersionId?: string
  sbomId?: string
  alertIncidentId?: string
  source?: FeedSource
  /** The filter of POST …/devices/list. */
  deviceFilter?: { blindSpotKinds: BlindSpotKind[] }
}

const formatDevices = (count: number) => formatCountOf(count, 'device', 'devices')

export interface CountedFilter {
  filter: WorkspaceFindingFilter
  totalCount: number
  totalCountIsLowerBound: boolean
}

export interface FindingNeeds {
  exploited: CountedFilter
  exploitedDevices: number
  newCritical: CountedFilter
  /** High or worse. */
  newHigh: CountedFilter
  undecidedCritical: CountedFilter
  overdue: CountedFilter
  recheck: CountedFilter
}

/** Vulnerabilities, as the list groups them. */
export function needsOfFindings(counts: FindingNeeds): Need[] {
  const { exploited, exploitedDevices, newCritical, newHigh, undecidedCritical } = counts
  const isAllCritical = newHigh.totalCount === newCritical.totalCount
  const need = (
    kind: Need['kind'],
    { filter, totalCount, totalCountIsLowerBound }: CountedFilter,
    words: {
      severity?: Severity
      devices?: number
      detail?: string
      text: (count: string) => string
    },
  ): Need => {
    const { severity = null, devices = null, detail = null, text } = words
    const count = `${formatNumber(totalCount)}${totalCountIsLowerBound ? ' or more' : ''}`
    const target = { findingFilter: filter }
    return { kind, count: totalCount, devices, severity, text: text(count), detail, target }
  }
  return [
    need('Exploited', exploited, {
      devices: exploitedDevices,
      text: (count) => `${count} known exploited, on ${formatDevices(exploitedDevices)}`,
    }),
    need('NewCritical', newCritical, {
      severity: 'Critical',
      text: (count) => `${count} new Critical since yesterday`,
    }),
    need('UndecidedCritical', undecidedCritical, {
      severity: 'Critical',
      text: (count) => `${count} Critical without a decision`,
    }),
    need('Overdue', counts.overdue, {
      text: (count) => `${count} overdue`,
      detail: 'In all versions, also those that no device runs',
    }),
    ...(isAllCritical
      ? []
      : [
          need('NewHigh', newHigh, {
            severity: 'High',
            text: (count) => `${count} new High or worse since yesterday`,
          }),
        ]),
    need('Recheck', counts.recheck, { text: (count) => `${count} to check again` }),
  ]
}

export interface StalledDeployment {
  id: string
  cohortId: string
  cohortName: string
  name: string
  state: string
  stateReason: string | null
  unfinished: number
}

export function describeStalledDeployment(deployment: StalledDeployment): Need {
  const { id, cohortId, cohortName, name, state, stateReason, unfinished } = deployment
  return {
    kind: 'StalledDeployment',
    count: 1,
    devices: unfinished,
    severity: null,
    text: `Deployment ${state.toLowerCase()}: ${cohortName}`,
    detail: [name, stateReason].filter(Boolean).join(': '),
    target: { deploymentCohortId: cohortId, deploymentId: id },
  }
}

export function describeFiringAlerts(alerts: FiringAlerts): Need {
  const { count, silenced, incidentId, ruleName } = alerts
  const details = [ruleName, describeSilenced(alerts)].filter((detail) => detail !== null)
  return {
    kind: 'FiringAlert',
    count,
    devices: null,
    severity: null,
    text:
      silenced > 0 && silenced === count
        ? formatCountOf(count, 'silenced alert firing', 'silenced alerts firing')
        : formatCountOf(count, 'alert firing', 'alerts firing'),
    detail: details.length === 0 ? null : details.join('; '),
    target: incidentId === null || count > 1 ? {} : { alertIncidentId: incidentId },
  }
}

function describeSilenced({ count, silenced }: FiringAlerts): string | null {
  if (silenced === 0) return null
  if (silenced === count) return 'nobody is told'
  return `${formatCountOf(silenced, 'is silenced', 'are silenced')}: nobody is told of ${silenced === 1 ? 'it' : 'them'}`
}

export interface FailedSboms {
  count: number
  /** The id of the newest one. */
  sbomId: string
  fileName: string | null
  firmwareVersionId: string
  versionName: string
  firmwareName: string
}

export function describeFailedSboms(failed: FailedSboms): Need {
  const { count, sbomId, firmwareVersionId, fileName, firmwareName, versionName } = failed
  return {
    kind: 'FailedSbom',
    count,
    devices: null,
    severity: null,
    text: `${formatCountOf(count, 'SBOM', 'SBOMs')} of ${firmwareName} ${versionName} could not be read`,
    detail: fileName,
    target: { sbomId, firmwareVersionId },
  }
}

export function describeUnknownFirmware(devices: number): Need {
  return {
    kind: 'UnknownFirmware',
    count: devices,
    devices,
    severity: null,
    text: `${formatCountOf(devices, 'device runs', 'devices run')} unknown firmware`,
    detail: null,
    target: { deviceFilter: { blindSpotKinds: ['UnknownVersion'] } },
  }
}

export function describeOtherImages(devices: number): Need {
  return {
    kind: 'OtherImage',
    count: devices,
    devices,
    severity: null,
    text: `${formatCountOf(devices, 'device reports', 'devices report')} another image than that of the version`,
    detail: 'What they run may be another build than the one that was judged',
    target: { deviceFilter: { blindSpotKinds: ['UnknownImage', 'OtherImage', 'NotAHash'] } },
  }
}

export interface PastSupport {
  devices: number
  /** Whose support is over: product lines, release lines and firmware. */
  names: readonly string[]
}

const MOST_NAMED = 3

export function describePastSupport({ devices, names }: PastSupport): Need {
  const more = names.length - MOST_NAMED
  const named = names.slice(0, MOST_NAMED).join(', ')
  return {
    kind: 'PastSupport',
    count: devices,
    devices,
    severity: null,
    text: `${formatCountOf(devices, 'device runs', 'devices run')} what is out of support`,
    detail: more > 0 ? `${named} and ${more} more` : named,
    target: {},
  }
}

export function describeStaleSource(source: FeedSource, lastCompleteAt: Date | null): Need {
  return {
    kind: 'StaleSource',
    count: 1,
    devices: null,
    severity: null,
    text:
      lastCompleteAt === null
        ? `The source ${source} was never read completely`
        : `The source ${source} was last read completely on ${lastCompleteAt.toISOString().slice(0, 10)}`,
    detail: null,
    target: { source },
  }
}

/** Without those of which there are none, worst first. */
export function sortNeeds(needs: readonly Need[]): Need[] {
  const rank = ({ kind }: Need) => NEED_KINDS.indexOf(kind)
  return needs
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => rank(a) - rank(b) || (b.devices ?? 0) - (a.devices ?? 0))
}

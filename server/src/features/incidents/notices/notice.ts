/** The text and the data of a notification about an incident. */
import { formatInstant } from '../../../formats/instants.ts'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import type { Notice } from '../../notifications/index.ts'
import {
  formatCount,
  describeCondition,
  formatElapsed,
  formatNumber,
  type Names,
  type RuleCondition,
  type RuleType,
} from '../../alert-rules/index.ts'
import type { EndCause } from '../store.ts'

export interface NoticeSeries {
  series: string
  label: string | null
  /** The value when the series began to fire. */
  value: number | null
  since: string
}

export interface NoticeIncident {
  id: string
  workspaceId: string
  workspaceName: string
  ruleId: string
  rule: RuleCondition & { name: string }
  beganAt: Date
  endedAt: Date | null
  endedCause: EndCause | null
  /** All series that fired. */
  seriesCount: number
  /** Series that fire now. */
  firingCount: number
  /** The worst first: firing series while the incident is open, all series after it ended. */
  series: readonly NoticeSeries[]
}

type IncidentEvent = 'Fired' | 'StillFiring' | 'Resolved'

interface NoticeEvent {
  event: IncidentEvent
  at: Date
  names: Names
}

export function writeIncidentNotice(
  incident: NoticeIncident,
  { event, at, names }: NoticeEvent,
): Notice {
  const { id, workspaceId, workspaceName, rule, series } = incident
  const count = event === 'Resolved' ? incident.seriesCount : incident.firingCount
  const condition = describeCondition(rule, names)
  return {
    event,
    workspaceName,
    title: `${rule.name}: ${writeTitle(incident, event)}`,
    text: `${condition}. ${writeText(incident, { event, at })}`,
    facts: listFacts(incident, { condition, at, event }),
    items: series.map((one) => ({
      label: formatLabel(one),
      value: one.value === null ? null : formatSeriesValue(rule.type, one.value),
      since: one.since,
      ...findPath(incident, one),
    })),
    moreItems: Math.max(0, count - series.length),
    path: `/workspaces/${workspaceId}/incidents/${id}`,
    at: at.toISOString(),
    data: pickData(incident),
  }
}

/** Where the portal tells more of a series. */
const findPath = ({ workspaceId, rule }: NoticeIncident, { series }: NoticeSeries) =>
  PATHS[rule.type](workspaceId, series)

const formatFindingPath = (workspaceId: string, findingId: string) => ({
  path: formatPortalPath('finding', { workspaceId, findingId }),
})

const PATHS: Readonly<
  Record<RuleType, (workspaceId: string, series: string) => { path?: string }>
> = {
  MetricFixedThreshold: findDevicePath,
  MetricPercentualThreshold: findDevicePath,
  DeviceOffline: findDevicePath,
  NewVulnerabilityFinding: formatFindingPath,
  UrgentVulnerabilityFinding: formatFindingPath,
  VulnerabilitySourceStale: (workspaceId) => ({
    path: formatPortalPath('sources', { workspaceId }),
  }),
  CaseDeadline: findDeadlinePath,
  SupportEnding: findSupportPath,
  CertificateEnding: findCertificatePath,
  OldDeviceKey: findKeyPath,
  // The page of a deployment is below its cohort, which the series does not name.
  DeploymentFailureRate: () => ({}),
  ComponentSupportEnding: (workspaceId, series) => ({
    path: formatVersionPath(workspaceId, series),
  }),
  NewCrash: (workspaceId, series) => ({
    path: `${formatVersionPath(workspaceId, series)}?tab=crashes`,
  }),
  CrashRate: (workspaceId, series) => ({
    path: `${formatVersionPath(workspaceId, series)}?tab=crashes`,
  }),
  LicenceDenied: (workspaceId, series) => ({
    path: `${formatVersionPath(workspaceId, series)}?tab=licences`,
  }),
}

/** Where the keys of the device, or of all devices, are listed. */
function findKeyPath(workspaceId: string, series: string) {
  const [deviceId = ''] = series.split('/')
  return deviceId === 'fleet-key'
    ? { path: formatPortalPath('apiKeys', { workspaceId }) }
    : { path: `${formatPortalPath('device', { workspaceId, deviceId })}?tab=registration` }
}

/** Where trusted keys, or issuers, are listed. */
function findCertificatePath(workspaceId: string, series: string) {
  return {
    path: formatPortalPath(series.startsWith('trusted-key/') ? 'trustedKeys' : 'apiKeys', {
      workspaceId,
    }),
  }
}

/** Of a report from outside, or of a case. */
function findDeadlinePath(workspaceId: string, series: string) {
  const [caseId = '', reportId = ''] = series.split('/')
  return caseId === 'disclosure-report'
    ? { path: formatPortalPath('disclosureReport', { workspaceId, reportId }) }
    : { path: formatPortalPath('case', { workspaceId, caseId }) }
}

/** Of a product line, or of the firmware, which also tells of its release lines. */
function findSupportPath(workspaceId: string, series: string) {
  const [kind, id = ''] = series.split('/')
  return kind === 'firmware'
    ? { path: formatPortalPath('firmware', { workspaceId, firmwareId: id }) }
    : { path: formatPortalPath('productLine', { workspaceId, productLineId: id }) }
}

/** Of a series that begins with the version. */
function formatVersionPath(workspaceId: string, series: string): string {
  const [firmwareVersionId = ''] = series.split('/')
  return formatPortalPath('firmwareVersion', { workspaceId, firmwareVersionId })
}

/** Empty: all devices together. */
function findDevicePath(workspaceId: string, deviceId: string) {
  return deviceId === '' ? {} : { path: formatPortalPath('device', { workspaceId, deviceId }) }
}

const ALL_DEVICES = 'All devices together'

function formatLabel({ series, label }: NoticeSeries): string {
  return label ?? (series === '' ? ALL_DEVICES : series)
}

const NOUNS: Readonly<Record<RuleType, string>> = {
  MetricFixedThreshold: 'device',
  MetricPercentualThreshold: 'device',
  NewVulnerabilityFinding: 'finding',
  UrgentVulnerabilityFinding: 'finding',
  VulnerabilitySourceStale: 'source',
  DeviceOffline: 'device',
  DeploymentFailureRate: 'deployment',
  ComponentSupportEnding: 'component',
  CaseDeadline: 'deadline',
  SupportEnding: 'support period',
  CertificateEnding: 'certificate',
  LicenceDenied: 'licence',
  NewCrash: 'crash',
  CrashRate: 'version',
  OldDeviceKey: 'device key',
}

function isOfAllDevices({ rule: { condition } }: NoticeIncident): boolean {
  return 'groupBy' in condition && condition.groupBy === 'None'
}

function writeTitle(incident: NoticeIncident, event: IncidentEvent): string {
  if (event === 'Resolved') return isResolved(incident) ? 'resolved' : 'ended'
  const word = event === 'Fired' ? 'firing' : 'still firing'
  return isOfAllDevices(incident) ? word : `${word} on ${describeFiring(incident)}`
}

function describeFiring({ rule, firingCount, series: [first] }: NoticeIncident): string {
  return firingCount === 1 && first
    ? formatLabel(first)
    : formatCount(firingCount, NOUNS[rule.type])
}

/** Otherwise the incident ended for another reason, and the condition may still be met. */
function isResolved({ endedCause }: NoticeIncident): boolean {
  return endedCause === 'Recovered'
}

const ENDS: Readonly<Record<EndCause, string>> = {
  Recovered: 'The condition is no longer met.',
  Decided:
    'Its findings were decided or are gone. Some are still in the firmware, with a decision.',
  NoData: 'There is no more data that meets the condition.',
  RuleChanged:
    'The rule was changed and starts again, which ended the incident. The condition may still be met.',
  RuleDisabled: 'The rule was disabled, which ended the incident. The condition may still be met.',
  RuleDeleted: 'The rule was deleted, which ended the incident. The condition may still be met.',
}

function writeText(
  incident: NoticeIncident,
  { event, at }: { event: IncidentEvent; at: Date },
): string {
  const { beganAt, endedCause, rule, seriesCount, firingCount } = incident
  const lasted = formatElapsed(at.getTime() - beganAt.getTime())
  const noun = NOUNS[rule.type]
  if (event === 'Resolved') {
    const fired = isOfAllDevices(incident) ? '' : `, with ${formatCount(seriesCount, noun)}`
    return `${ENDS[endedCause ?? 'Recovered']} The incident lasted ${lasted}${fired}.`
  }
  const met = isOfAllDevices(incident)
    ? 'The condition is met'
    : `The condition is met on ${formatCount(firingCount, noun)}`
  return event === 'Fired' ? `${met}.` : `${met}, and the incident has lasted ${lasted}.`
}

function listFacts(
  incident: NoticeIncident,
  { condition, event }: { condition: string; at: Date; event: IncidentEvent },
): Notice['facts'] {
  const { rule, beganAt, endedAt, seriesCount, firingCount } = incident
  const nouns = `${NOUNS[rule.type]}s`
  const counts = isOfAllDevices(incident)
    ? []
    : [
        ...(event === 'Resolved' ? [] : [{ name: `Firing ${nouns}`, value: String(firingCount) }]),
        { name: `${capitalised(nouns)} in total`, value: String(seriesCount) },
      ]
  return [
    { name: 'Alert rule', value: rule.name },
    { name: 'Condition', value: condition },
    { name: 'Began', value: formatInstant(beganAt) },
    ...(endedAt === null ? [] : [{ name: 'Ended', value: formatInstant(endedAt) }]),
    ...counts,
  ]
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** With its unit, as mails and pages show it. */
export const formatSeriesValue = (type: RuleType, value: number): string => VALUES[type](value)

const formatIn = (unit: string) => (value: number) => `${formatNumber(value)} ${unit}`

const VALUES: Readonly<Record<RuleType, (value: number) => string>> = {
  MetricFixedThreshold: formatNumber,
  MetricPercentualThreshold: (value) => `${value > 0 ? '+' : ''}${formatNumber(value)} %`,
  NewVulnerabilityFinding: formatNumber,
  UrgentVulnerabilityFinding: formatNumber,
  DeploymentFailureRate: formatIn('%'),
  VulnerabilitySourceStale: formatIn('h'),
  CaseDeadline: formatIn('h'),
  ComponentSupportEnding: formatIn('d'),
  SupportEnding: formatIn('d'),
  CertificateEnding: formatIn('d'),
  DeviceOffline: (value) => formatElapsed(value * 60_000),
  LicenceDenied: (value) => formatCount(value, 'component'),
  NewCrash: (value) => formatCount(value, 'device'),
  CrashRate: formatIn('%'),
  OldDeviceKey: formatIn('d'),
}

function pickData(incident: NoticeIncident): Notice['data'] {
  const { id, ruleId, rule, beganAt, endedAt, endedCause, seriesCount, firingCount } = incident
  const { name, type, condition } = rule
  return {
    incidentId: id,
    alertRule: { id: ruleId, name, type },
    condition,
    beganAt: beganAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    endedCause,
    seriesCount,
    firingSeriesCount: firingCount,
    series: incident.series,
  }
}

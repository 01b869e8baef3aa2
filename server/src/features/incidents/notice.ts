/** Says in words what became of an incident. */
import type { Notice } from '../notifications/index.ts'
import {
  conditionWords,
  counted,
  formatNumber,
  lengthWords,
  type Names,
  type RuleCondition,
  type RuleType,
} from '../alert-rules/index.ts'
import type { EndCause } from './store.ts'

export interface ToldSeries {
  series: string
  label: string | null
  /** When it began to fire. */
  value: number | null
  since: string
}

export interface ToldIncident {
  id: string
  workspaceId: string
  workspaceName: string
  ruleId: string
  rule: RuleCondition & { name: string }
  beganAt: Date
  endedAt: Date | null
  endedCause: EndCause | null
  /** Told apart: all that fired, and those that fire now. */
  seriesCount: number
  firingCount: number
  /** The worst of them first; of those that fire, while there are any. */
  series: readonly ToldSeries[]
}

type IncidentEvent = 'Fired' | 'StillFiring' | 'Resolved'

interface Telling {
  event: IncidentEvent
  at: Date
  names: Names
}

export function incidentNotice(incident: ToldIncident, { event, at, names }: Telling): Notice {
  const { id, workspaceId, workspaceName, rule, series } = incident
  const count = event === 'Resolved' ? incident.seriesCount : incident.firingCount
  const condition = conditionWords(rule, names)
  return {
    event,
    workspaceName,
    title: `${rule.name}: ${titleWords(incident, event)}`,
    text: `${condition}. ${textWords(incident, { event, at })}`,
    facts: factsOf(incident, { condition, at, event }),
    items: series.map((one) => ({
      label: labelOf(one),
      value: one.value === null ? null : valueWords(rule.type, one.value),
      since: one.since,
    })),
    moreItems: Math.max(0, count - series.length),
    path: `/workspaces/${workspaceId}/incidents/${id}`,
    at: at.toISOString(),
    data: dataOf(incident),
  }
}

const ALL_DEVICES = 'All devices together'

function labelOf({ series, label }: ToldSeries): string {
  return label ?? (series === '' ? ALL_DEVICES : series)
}

const NOUNS: Readonly<Record<RuleType, string>> = {
  MetricFixedThreshold: 'device',
  MetricPercentualThreshold: 'device',
  NewVulnerabilityFinding: 'finding',
  VulnerabilitySourceStale: 'source',
  DeviceOffline: 'device',
  DeploymentFailureRate: 'deployment',
}

function isOfAllDevices({ rule: { condition } }: ToldIncident): boolean {
  return 'groupBy' in condition && condition.groupBy === 'None'
}

function titleWords(incident: ToldIncident, event: IncidentEvent): string {
  if (event === 'Resolved') return isResolved(incident) ? 'resolved' : 'ended'
  const word = event === 'Fired' ? 'firing' : 'still firing'
  return isOfAllDevices(incident) ? word : `${word} on ${firingWords(incident)}`
}

function firingWords({ rule, firingCount, series: [first] }: ToldIncident): string {
  return firingCount === 1 && first ? labelOf(first) : counted(firingCount, NOUNS[rule.type])
}

/** Whether what it told of is over, as far as anybody knows. */
function isResolved({ endedCause }: ToldIncident): boolean {
  return endedCause === 'Recovered'
}

const ENDS: Readonly<Record<EndCause, string>> = {
  Recovered: 'This is no longer so.',
  NoData: 'There are no data any more that would say so.',
  RuleChanged:
    'The rule was changed and begins anew, which ended the incident: it may be so still.',
  RuleDisabled: 'The rule was disabled, which ended the incident: it may be so still.',
  RuleDeleted: 'The rule was deleted, which ended the incident: it may be so still.',
}

function textWords(
  incident: ToldIncident,
  { event, at }: { event: IncidentEvent; at: Date },
): string {
  const { beganAt, endedCause, rule, seriesCount, firingCount } = incident
  const lasted = lengthWords(at.getTime() - beganAt.getTime())
  const noun = NOUNS[rule.type]
  if (event === 'Resolved') {
    const fired = isOfAllDevices(incident) ? '' : `, with ${counted(seriesCount, noun)}`
    return `${ENDS[endedCause ?? 'Recovered']} It lasted ${lasted}${fired}.`
  }
  const so = isOfAllDevices(incident) ? 'This is so' : `This is so on ${counted(firingCount, noun)}`
  return event === 'Fired' ? `${so}.` : `${so}, and the incident has lasted ${lasted}.`
}

function factsOf(
  incident: ToldIncident,
  { condition, event }: { condition: string; at: Date; event: IncidentEvent },
): Notice['facts'] {
  const { rule, beganAt, endedAt, seriesCount, firingCount } = incident
  const nouns = `${NOUNS[rule.type]}s`
  const counts = isOfAllDevices(incident)
    ? []
    : [
        ...(event === 'Resolved' ? [] : [{ name: `Firing ${nouns}`, value: String(firingCount) }]),
        { name: `${capitalised(nouns)} in all`, value: String(seriesCount) },
      ]
  return [
    { name: 'Alert rule', value: rule.name },
    { name: 'Condition', value: condition },
    { name: 'Began', value: timeWords(beganAt) },
    ...(endedAt === null ? [] : [{ name: 'Ended', value: timeWords(endedAt) }]),
    ...counts,
  ]
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `2026-08-22 09:30 UTC`: a mail has no time zone of its own. */
function timeWords(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function valueWords(type: RuleType, value: number): string {
  const number = formatNumber(value)
  switch (type) {
    case 'MetricPercentualThreshold':
      return `${value > 0 ? '+' : ''}${number} %`
    case 'DeploymentFailureRate':
      return `${number} %`
    case 'VulnerabilitySourceStale':
      return `${number} h`
    case 'DeviceOffline':
      return lengthWords(value * 60_000)
    case 'MetricFixedThreshold':
    case 'NewVulnerabilityFinding':
      return number
  }
}

function dataOf(incident: ToldIncident): Notice['data'] {
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

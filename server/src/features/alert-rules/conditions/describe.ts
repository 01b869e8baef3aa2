/** Describes the condition of a rule in a sentence, for notifications. */
import { DAY_SECONDS } from '../../../formats/instants.ts'
import type { Aggregation } from '../../telemetry/index.ts'
import type {
  CaseDeadlineCondition,
  CertificateEndingCondition,
  ComponentSupportCondition,
  Conditions,
  CrashRateCondition,
  DeviceOfflineCondition,
  FailureRateCondition,
  LicenceCondition,
  MetricCondition,
  NewCrashCondition,
  NewFindingCondition,
  OldKeyCondition,
  Operator,
  RuleCondition,
  RuleType,
  SourceStaleCondition,
  SupportEndingCondition,
  UrgentFindingCondition,
} from './condition.ts'

/** Names of cohorts and firmwares by id; deleted ones are missing. */
export type Names = ReadonlyMap<string, string>

/** One sentence without a full stop. */
export const describeCondition = (rule: RuleCondition, names: Names): string =>
  describeByType(rule.type, rule.condition, names)

const describeByType = <Type extends RuleType>(
  type: Type,
  condition: Conditions[Type],
  names: Names,
): string => DESCRIBERS[type](condition, names)

type Describers = {
  readonly [Type in RuleType]: (condition: Conditions[Type], names: Names) => string
}

const DESCRIBERS: Describers = {
  MetricFixedThreshold: (condition, names) => describeMetric(condition, names, ''),
  MetricPercentualThreshold: (condition, names) => describeMetric(condition, names, ' %'),
  NewVulnerabilityFinding: describeFinding,
  VulnerabilitySourceStale: describeSource,
  DeviceOffline: describeOffline,
  DeploymentFailureRate: describeFailureRate,
  ComponentSupportEnding: describeSupport,
  UrgentVulnerabilityFinding: describeUrgency,
  CaseDeadline: describeDeadlines,
  SupportEnding: describeSupportEnding,
  CertificateEnding: describeCertificates,
  LicenceDenied: describeLicences,
  NewCrash: describeNewCrash,
  CrashRate: describeCrashRate,
  OldDeviceKey: describeOldKeys,
}

const AGGREGATES: Readonly<Record<Aggregation, string>> = {
  Average: 'Average of',
  Minimum: 'Minimum of',
  Maximum: 'Maximum of',
  Sum: 'Sum of',
  Count: 'Number of points of',
  Last: 'Last value of',
}

const COMPARISONS: Readonly<Record<Operator, string>> = {
  GreaterThan: 'above',
  GreaterThanOrEqual: 'at or above',
  LessThan: 'below',
  LessThanOrEqual: 'at or below',
}

function describeMetric(condition: MetricCondition, names: Names, unit: string): string {
  const { metric, labels, aggregation, operator, threshold, window, groupBy } = condition
  const named = Object.entries(labels).map(([name, value]) => `${name} is ${value}`)
  const where = named.length > 0 ? ` where ${joinWords(named, 'and')}` : ''
  const length = describeDuration(window)
  const change = unit === '' ? '' : `, as a change against the ${length} before,`
  const who = groupBy === 'Device' ? 'on each device' : 'over all devices'
  return `${AGGREGATES[aggregation]} ${metric}${where} over ${length}${change} is ${COMPARISONS[operator]} ${formatNumber(threshold)}${unit}, ${who}${ofCohort(condition.deploymentCohortId, names)}`
}

function describeFinding(condition: NewFindingCondition, names: Names): string {
  const { severities, knownCisaExploit, onlyWhereDevicesRun, firmwareIds, watches } = condition
  const kinds = [
    ...(severities.length > 0 ? [`of severity ${joinWords(severities, 'or')}`] : []),
    ...(knownCisaExploit && severities.length > 0 ? ['known to be exploited'] : []),
  ]
  const what = kinds.length > 0 ? ` ${joinWords(kinds, 'or')}` : ''
  const of = firmwareIds.map((id) => names.get(id) ?? 'a firmware that is gone')
  const where = of.length > 0 ? ` of ${joinWords(of, 'or')}` : ''
  const run = onlyWhereDevicesRun ? ' that devices run' : ''
  const until = watches === 'Present' ? 'it is closed or gone' : 'somebody decides on it'
  return `A finding${what} is new in a firmware version${where}${run}, until ${until}`
}

function describeSource({ sources, olderThan }: SourceStaleCondition): string {
  const which =
    sources.length > 0
      ? `The vulnerability source ${joinWords(sources, 'or')}`
      : 'A vulnerability source'
  const age = olderThan === null ? 'longer than the service allows' : describeDuration(olderThan)
  return `${which} was not updated for ${age}`
}

function describeOffline(
  { deploymentCohortId, tags, offlineFor }: DeviceOfflineCondition,
  names: Names,
): string {
  const tagged = tags.length > 0 ? ` tagged ${joinWords(tags, 'and')}` : ''
  return `A device${tagged}${ofCohort(deploymentCohortId, names)} was not heard from for ${describeDuration(offlineFor)}`
}

function describeFailureRate(condition: FailureRateCondition, names: Names): string {
  const { deploymentCohortId, thresholdPercent, minimumFinished } = condition
  const devices = minimumFinished === 1 ? '1 device has' : `${minimumFinished} devices have`
  return `More than ${formatNumber(thresholdPercent)} % of updates fail in a deployment${ofCohort(deploymentCohortId, names)}, once ${devices} finished, or it stops itself`
}

function describeSupport(condition: ComponentSupportCondition, names: Names): string {
  const { daysBefore, onlyWhereDevicesRun, firmwareIds } = condition
  const of = firmwareIds.map((id) => names.get(id) ?? 'a firmware that is gone')
  const where = of.length > 0 ? ` of ${joinWords(of, 'or')}` : ''
  const run = onlyWhereDevicesRun ? ' that devices run' : ''
  const when = daysBefore === 0 ? 'has ended' : `ends within ${formatCount(daysBefore, 'day')}`
  return `The support of a component in a firmware version${where}${run} ${when}`
}

function describeUrgency(condition: UrgentFindingCondition, names: Names): string {
  const { ssvcFrom, onlyWhereDevicesRun, firmwareIds, watches } = condition
  const of = firmwareIds.map((id) => names.get(id) ?? 'a firmware that is gone')
  const where = of.length > 0 ? ` of ${joinWords(of, 'or')}` : ''
  const run = onlyWhereDevicesRun ? ' that devices run' : ''
  const until = watches === 'Present' ? 'it is closed or gone' : 'somebody decides on it'
  return `A finding in a firmware version${where}${run} is ${ssvcFrom} or more urgent by SSVC, until ${until}`
}

function describeDeadlines(condition: CaseDeadlineCondition): string {
  const drills = condition.includesDrills ? '' : ', but for drills'
  const more = condition.includesGoodPractice
    ? '; or, as good practice, a proposal, a next look or a report from outside waits, or nothing is due yet for a week'
    : ''
  return `A report of a case is due within 12, 4 or 1 hours, or is late${drills}${more}`
}

const OUTCOMES: Readonly<Record<LicenceCondition['outcomes'][number], string>> = {
  denied: 'denied',
  unknown: 'unknown',
  notListed: 'in no list',
  review: 'to be reviewed',
}

function describeLicences(condition: LicenceCondition, names: Names): string {
  const { outcomes, onlyWhereDevicesRun, firmwareIds } = condition
  const of = firmwareIds.map((id) => names.get(id) ?? 'a firmware that is gone')
  const where = of.length > 0 ? ` of ${joinWords(of, 'or')}` : ''
  const run = onlyWhereDevicesRun
    ? 'that devices run'
    : 'that devices run, or in the newest of a line,'
  const said = joinWords(
    outcomes.map((outcome) => OUTCOMES[outcome]),
    'or',
  )
  return `The licence of a component in a firmware version${where} ${run} is ${said}`
}

function describeNewCrash(condition: NewCrashCondition, names: Names): string {
  const { minimumDevices, newForDays, firmwareIds } = condition
  const of = firmwareIds.map((id) => names.get(id) ?? 'a firmware that is gone')
  const where = of.length > 0 ? ` of ${joinWords(of, 'or')}` : ''
  const devices = minimumDevices > 1 ? ` on at least ${formatCount(minimumDevices, 'device')}` : ''
  const days = formatCount(newForDays, 'day')
  return `A firmware version${where} crashes${devices} as no earlier one did, first seen within ${days}`
}

function describeCrashRate(condition: CrashRateCondition, names: Names): string {
  const { thresholdPercent, windowDays, minimumDeviceDays, deploymentCohortId } = condition
  const of = condition.firmwareIds.map((id) => names.get(id) ?? 'a firmware that is gone')
  const where = of.length > 0 ? ` of ${joinWords(of, 'or')}` : ''
  const days = windowDays === 1 ? 'today' : `within ${formatCount(windowDays, 'day')}`
  const devices = `devices${ofCohort(deploymentCohortId, names)}`
  return `${capitalise(devices)} with a firmware version${where} crash on more than ${formatNumber(thresholdPercent)} % of their days ${days}, once ${formatCount(minimumDeviceDays, 'day')} of devices are known`
}

function describeSupportEnding({
  daysBefore,
  onlyWhereDevicesRun,
}: SupportEndingCondition): string {
  const run = onlyWhereDevicesRun ? ' that devices run' : ''
  const when = daysBefore === 0 ? 'has ended' : `ends within ${formatCount(daysBefore, 'day')}`
  return `The support of a product line, a release line or a firmware${run} ${when}`
}

function describeCertificates({ daysBefore, includesDevices }: CertificateEndingCondition): string {
  const kinds = [
    'a trusted certificate',
    'an issuer of device certificates',
    ...(includesDevices ? ['the certificate of a device'] : []),
  ]
  const when = daysBefore === 0 ? 'has ended' : `ends within ${formatCount(daysBefore, 'day')}`
  return capitalise(`${joinWords(kinds, 'or')} ${when}`)
}

function describeOldKeys(condition: OldKeyCondition, names: Names): string {
  const { olderThanDays, askedForDays, deploymentCohortId } = condition
  const device = `a device${ofCohort(deploymentCohortId, names)}`
  const whose = deploymentCohortId === null ? `${device}, or of all devices,` : device
  return `A key of ${whose} is older than ${formatCount(olderThanDays, 'day')}, or ${device} was asked ${formatCount(askedForDays, 'day')} ago to replace its key and goes on with the old one`
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function ofCohort(id: string | null, names: Names): string {
  if (id === null) return ''
  const name = names.get(id)
  return name === undefined ? ' of a cohort that is gone' : ` of the cohort ${name}`
}

function joinWords(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

const UNITS: readonly [number, string][] = [
  [DAY_SECONDS, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]

/** `90m` → `90 minutes`, in the given unit. */
export function describeDuration(duration: string): string {
  const [, unit] = UNITS.find(([, name]) => name.startsWith(duration.slice(-1))) ?? [60, 'minute']
  return formatCount(Number(duration.slice(0, -1)), unit)
}

/** To the minute, in the two largest units: `1 day 2 hours`. */
export function formatElapsed(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return 'less than a minute'
  const parts = UNITS.reduce<{ rest: number; words: string[] }>(
    ({ rest, words }, [size, name]) => {
      const count = Math.floor((rest * 60) / size)
      return {
        rest: rest - (count * size) / 60,
        words: count > 0 ? [...words, formatCount(count, name)] : words,
      }
    },
    { rest: minutes, words: [] },
  )
  return parts.words.slice(0, 2).join(' ')
}

export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

const SIGNIFICANT_DIGITS = 6

/** Rounds fractions to six significant digits and writes a typographic minus sign. */
export function formatNumber(value: number): string {
  const short = Number.isInteger(value) ? value : Number(value.toPrecision(SIGNIFICANT_DIGITS))
  return String(short).replace(/^-/, '−')
}

/** What a rule asks for, as a person would say it. */
import type { Aggregation } from '../telemetry/index.ts'
import type {
  DeviceOfflineCondition,
  FailureRateCondition,
  MetricCondition,
  NewFindingCondition,
  Operator,
  RuleCondition,
  SourceStaleCondition,
} from './condition.ts'

/** What people call cohorts and firmwares, by their ids; those that are gone have no name. */
export type Names = ReadonlyMap<string, string>

/** One sentence without its full stop. */
export function conditionWords(rule: RuleCondition, names: Names): string {
  switch (rule.type) {
    case 'MetricFixedThreshold':
      return metricWords(rule.condition, names, '')
    case 'MetricPercentualThreshold':
      return metricWords(rule.condition, names, ' %')
    case 'NewVulnerabilityFinding':
      return findingWords(rule.condition, names)
    case 'VulnerabilitySourceStale':
      return sourceWords(rule.condition)
    case 'DeviceOffline':
      return offlineWords(rule.condition, names)
    case 'DeploymentFailureRate':
      return failureWords(rule.condition, names)
  }
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

function metricWords(condition: MetricCondition, names: Names, unit: string): string {
  const { metric, labels, aggregation, operator, threshold, window, groupBy } = condition
  const named = Object.entries(labels).map(([name, value]) => `${name} is ${value}`)
  const where = named.length > 0 ? ` where ${inWords(named, 'and')}` : ''
  const length = durationWords(window)
  const change = unit === '' ? '' : `, as a change against the ${length} before,`
  const who = groupBy === 'Device' ? 'on each device' : 'over all devices'
  return `${AGGREGATES[aggregation]} ${metric}${where} over ${length}${change} is ${COMPARISONS[operator]} ${formatNumber(threshold)}${unit}, ${who}${ofCohort(condition.deploymentCohortId, names)}`
}

function findingWords(condition: NewFindingCondition, names: Names): string {
  const { severities, knownCisaExploit, onlyWhereDevicesRun, firmwareIds } = condition
  const kinds = [
    ...(severities.length > 0 ? [`of severity ${inWords(severities, 'or')}`] : []),
    ...(knownCisaExploit && severities.length > 0 ? ['known to be exploited'] : []),
  ]
  const what = kinds.length > 0 ? ` ${inWords(kinds, 'or')}` : ''
  const of = firmwareIds.map((id) => names.get(id) ?? 'a firmware that is gone')
  const where = of.length > 0 ? ` of ${inWords(of, 'or')}` : ''
  const run = onlyWhereDevicesRun ? ' that devices run' : ''
  return `A finding${what} is new in a firmware version${where}${run}`
}

function sourceWords({ sources, olderThan }: SourceStaleCondition): string {
  const which =
    sources.length > 0
      ? `The vulnerability source ${inWords(sources, 'or')}`
      : 'A vulnerability source'
  const age = olderThan === null ? 'longer than the service allows' : durationWords(olderThan)
  return `${which} was not updated for ${age}`
}

function offlineWords(
  { deploymentCohortId, tags, offlineFor }: DeviceOfflineCondition,
  names: Names,
): string {
  const tagged = tags.length > 0 ? ` tagged ${inWords(tags, 'and')}` : ''
  return `A device${tagged}${ofCohort(deploymentCohortId, names)} was not heard from for ${durationWords(offlineFor)}`
}

function failureWords(condition: FailureRateCondition, names: Names): string {
  const { deploymentCohortId, thresholdPercent, minimumFinished } = condition
  const devices = minimumFinished === 1 ? '1 device has' : `${minimumFinished} devices have`
  return `More than ${formatNumber(thresholdPercent)} % of updates fail in a deployment${ofCohort(deploymentCohortId, names)}, once ${devices} finished`
}

function ofCohort(id: string | null, names: Names): string {
  if (id === null) return ''
  const name = names.get(id)
  return name === undefined ? ' of a cohort that is gone' : ` of the cohort ${name}`
}

function inWords(parts: readonly string[], word: 'and' | 'or'): string {
  if (parts.length < 2) return parts.join('')
  return `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`
}

const UNITS: readonly [number, string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]

/** `90m` → `90 minutes`: in the unit it was given in. */
export function durationWords(duration: string): string {
  const [, unit] = UNITS.find(([, name]) => name.startsWith(duration.slice(-1))) ?? [60, 'minute']
  return counted(Number(duration.slice(0, -1)), unit)
}

/** To the minute, in the two largest units that say something: `1 day 2 hours`. */
export function lengthWords(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return 'less than a minute'
  const parts = UNITS.reduce<{ rest: number; words: string[] }>(
    ({ rest, words }, [size, name]) => {
      const count = Math.floor((rest * 60) / size)
      return {
        rest: rest - (count * size) / 60,
        words: count > 0 ? [...words, counted(count, name)] : words,
      }
    },
    { rest: minutes, words: [] },
  )
  return parts.words.slice(0, 2).join(' ')
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

const DIGITS = 6

/** Whole numbers whole, others in as many digits as a person reads; with a true minus sign. */
export function formatNumber(value: number): string {
  const short = Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS))
  return String(short).replace(/^-/, '−')
}

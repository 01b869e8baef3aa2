/** Which metrics of a device are shown: as the address has them, or those that matter most. */
import type { AlertRule, DeviceSeries } from '@plimsoll/api-client'

type Labels = Readonly<Record<string, string>>

/** One chart: a metric, of all its series or of those with some labels. */
export interface ChosenMetric {
  metric: string
  labels: Labels
}

/** How many charts a device begins with. */
const SHOWN_FIRST = 3

/** `temperature?sensor=cpu`, several with commas. */
export function formatChosen(chosen: readonly ChosenMetric[]): string {
  return chosen.map((one) => formatChoice(one)).join(',')
}

export function formatChoice({ metric, labels }: ChosenMetric): string {
  const query = new URLSearchParams(Object.entries(labels)).toString()
  return `${encodeURIComponent(metric)}${query === '' ? '' : `?${query}`}`
}

export function parseChosen(text: string): ChosenMetric[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', query = ''] = part.split('?', 2)
      return { metric: decoded(name), labels: Object.fromEntries(new URLSearchParams(query)) }
    })
}

/** As it stands where somebody wrote the address by hand. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** First what rules watch, then what was heard of last. */
export function listUsualMetrics(
  series: readonly DeviceSeries[],
  rules: readonly MetricRule[],
): ChosenMetric[] {
  const watched = new Set(rules.map(({ condition }) => condition.metric))
  const order = series
    .toSorted((a, b) => b.seenAt.localeCompare(a.seenAt))
    .toSorted((a, b) => Number(watched.has(b.metric)) - Number(watched.has(a.metric)))
  const names = [...new Set(order.map(({ metric }) => metric))]
  return names.slice(0, SHOWN_FIRST).map((metric) => ({ metric, labels: {} }))
}

/** Each metric, and each of its series where it has several. */
export function listChoices(series: readonly DeviceSeries[]): { value: string; label: string }[] {
  return [...Map.groupBy(series, ({ metric }) => metric)].flatMap(([metric, all]) => {
    const whole = { value: formatChoice({ metric, labels: {} }), label: metric }
    if (all.length === 1) return [whole]
    const parts = all
      .filter(({ labels }) => Object.keys(labels).length > 0)
      .map(({ labels }) => ({
        value: formatChoice({ metric, labels }),
        label: `${metric} ${formatLabels(labels)}`,
      }))
    return [{ ...whole, label: `${metric} (${all.length} series)` }, ...parts]
  })
}

/** "sensor=cpu, rack=1". */
export function formatLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}

/** The label sets of the series that a chart draws. */
export function listLines(
  { metric, labels }: ChosenMetric,
  series: readonly DeviceSeries[],
): Labels[] {
  return series
    .filter((one) => one.metric === metric && hasAll(one.labels, labels))
    .map((one) => one.labels)
    .toSorted((a, b) => formatLabels(a).localeCompare(formatLabels(b)))
}

export function hasAll(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value)
}

export type MetricRule = AlertRule & {
  condition: Extract<AlertRule['condition'], { metric: string }>
}

/** The rules that look at metrics of a device in this cohort. */
export function listRules(rules: readonly AlertRule[], cohortId: string | undefined): MetricRule[] {
  return rules.filter((rule): rule is MetricRule => {
    if (!('metric' in rule.condition)) return false
    const { deploymentCohortId } = rule.condition
    return deploymentCohortId === null || deploymentCohortId === cohortId
  })
}

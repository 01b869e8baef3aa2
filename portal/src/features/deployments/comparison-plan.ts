/** Which signals of updated devices are compared with those of devices that wait. */
import { COMPARISON_SIGNAL, type Deployment } from '@plimsoll/api-client'

type StoredPlan = NonNullable<Deployment['phases'][number]['comparison']>
export type ComparisonSignal = StoredPlan['builtIn'][number]
export type ComparedMetric = StoredPlan['metrics'][number]

/** As it is filled in: numbers may be empty. */
export interface ComparisonPlan extends Pick<StoredPlan, 'metrics' | 'builtIn' | 'tooFew'> {
  windowSeconds: number | ''
  marginPercent: number | ''
  confidencePercent: number | ''
}

const SIGNAL_NAMES: Readonly<Record<string, string>> = {
  Silence: 'Silence',
  Restarts: 'Restarts',
  Crashes: 'Crashes',
  LogErrors: 'Log errors',
  ConnectionTime: 'Connection time (MQTT)',
}

export const SIGNALS: readonly ComparisonSignal[] = COMPARISON_SIGNAL

export const nameSignal = (signal: ComparisonSignal | 'Silence'): string =>
  SIGNAL_NAMES[signal] ?? signal

/** With one click: what nearly every device tells. What a device does not tell would hold the phase. */
export const FIRST_COMPARISON: ComparisonPlan = {
  windowSeconds: 86_400,
  // A fifth more is still found with it: docs/design/budgets.md has how often.
  marginPercent: 5,
  confidencePercent: 95,
  metrics: [],
  builtIn: ['Restarts', 'LogErrors'],
  tooFew: 'Wait',
}

/** Names a chosen signal by itself, and tells metrics of one name with other labels apart. */
export const buildMetricKey = ({ name, labels }: Pick<ComparedMetric, 'name' | 'labels'>) =>
  `metric ${JSON.stringify([name, Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))])}`

export function nameMetric({ name, labels }: Pick<ComparedMetric, 'name' | 'labels'>): string {
  const told = Object.entries(labels).map(([label, value]) => `${label}=${value}`)
  return told.length === 0 ? name : `${name} (${told.join(', ')})`
}

export function listKeys({ builtIn, metrics }: ComparisonPlan): string[] {
  return [...builtIn, ...metrics.map(buildMetricKey)]
}

/** What is chosen now. What was chosen before keeps its direction and its margin. */
export function chooseSignals(
  plan: ComparisonPlan,
  keys: readonly string[],
  reported: readonly string[],
): ComparisonPlan {
  const fresh = reported.map((name): ComparedMetric => ({
    name,
    labels: {},
    worse: 'Higher',
    marginPercent: null,
  }))
  const known = new Map(
    [...fresh, ...plan.metrics].map((metric) => [buildMetricKey(metric), metric]),
  )
  return {
    ...plan,
    builtIn: SIGNALS.filter((signal) => keys.includes(signal)),
    metrics: keys.flatMap((key) => known.get(key) ?? []),
  }
}

/** Why it cannot be sent; undefined where it can. */
export function findComparisonFault(plan: ComparisonPlan): string | undefined {
  if (listKeys(plan).length === 0) return 'A comparison needs something that is compared.'
  if (plan.windowSeconds === '' || plan.windowSeconds < 600)
    return 'A comparison needs at least 10 minutes after the update.'
  if (plan.marginPercent === '' || plan.confidencePercent === '')
    return 'A comparison needs a margin and a confidence.'
  return undefined
}

export const writeComparison = (plan: ComparisonPlan) => ({
  ...plan,
  windowSeconds: Number(plan.windowSeconds),
  marginPercent: Number(plan.marginPercent),
  confidencePercent: Number(plan.confidencePercent),
})

/** What a phase of a deployment asks to be compared: updated devices with those that wait. */
import { DAY_SECONDS } from '../../formats/instants.ts'
import { invalid } from '../../platform/errors.ts'

/** What the service itself knows of devices. */
export const BUILT_IN_SIGNALS = ['Restarts', 'Crashes', 'LogErrors', 'ConnectionTime'] as const
export type BuiltInSignal = (typeof BUILT_IN_SIGNALS)[number]

export const DIRECTIONS = ['Higher', 'Lower'] as const
type Direction = (typeof DIRECTIONS)[number]

/** What happens where too few devices can be compared: the phase waits, or the roll-out stops and asks. */
export const TOO_FEW_ANSWERS = ['Wait', 'Stop'] as const
export const DEFAULT_TOO_FEW = 'Wait'

interface ComparedMetric {
  name: string
  labels: Readonly<Record<string, string>>
  /** The direction of a change for the worse. */
  worse: Direction
  /** null: that of the comparison. */
  marginPercent: number | null
}

export interface ComparisonPlan {
  /** The time after the update of a device that is looked at, and as long before it. */
  windowSeconds: number
  /** Updated devices may change for the worse by so much more than those that wait. */
  marginPercent: number
  confidencePercent: number
  metrics: ComparedMetric[]
  builtIn: BuiltInSignal[]
  tooFew: (typeof TOO_FEW_ANSWERS)[number]
}

type Asked<Plan> = { [Name in keyof Plan]?: Plan[Name] | undefined }

export interface AskedComparison extends Omit<Asked<ComparisonPlan>, 'metrics' | 'builtIn'> {
  windowSeconds: number
  metrics?: readonly (Asked<ComparedMetric> & Pick<ComparedMetric, 'name' | 'worse'>)[] | undefined
  builtIn?: readonly BuiltInSignal[] | undefined
}

export const DEFAULT_MARGIN = 5
export const DEFAULT_CONFIDENCE = 95
export const LEAST_WINDOW_SECONDS = 600
export const MOST_WINDOW_SECONDS = 30 * DAY_SECONDS
export const MOST_METRICS = 20

/** A signal that is compared: a metric by its name and labels, or one that the service knows. */
export interface Signal {
  builtIn: BuiltInSignal | null
  name: string
  labels: Readonly<Record<string, string>>
  worse: Direction
  marginPercent: number
}

const WORSE: Record<BuiltInSignal, Direction> = {
  Restarts: 'Higher',
  Crashes: 'Higher',
  LogErrors: 'Higher',
  ConnectionTime: 'Lower',
}

export function listSignals({ metrics, builtIn, marginPercent }: ComparisonPlan): Signal[] {
  return [
    ...builtIn.map((name) => ({
      builtIn: name,
      name,
      labels: {},
      worse: WORSE[name],
      marginPercent,
    })),
    ...metrics.map((metric) => ({
      ...metric,
      builtIn: null,
      marginPercent: metric.marginPercent ?? marginPercent,
    })),
  ]
}

/** Throws `invalid` at the pointer of what is wrong. */
export function readComparison(asked: AskedComparison, pointer: string): ComparisonPlan {
  const plan: ComparisonPlan = {
    windowSeconds: asked.windowSeconds,
    marginPercent: asked.marginPercent ?? DEFAULT_MARGIN,
    confidencePercent: asked.confidencePercent ?? DEFAULT_CONFIDENCE,
    metrics: (asked.metrics ?? []).map(({ name, labels = {}, worse, marginPercent = null }) => ({
      name,
      labels,
      worse,
      marginPercent,
    })),
    builtIn: [...(asked.builtIn ?? [])],
    tooFew: asked.tooFew ?? DEFAULT_TOO_FEW,
  }
  const signals = listSignals(plan)
  if (signals.length === 0)
    throw invalid('Name at least one metric or built-in signal to compare.', `${pointer}/metrics`)
  const keys = plan.metrics.map(({ name, labels }) => JSON.stringify([name, sortLabels(labels)]))
  const twice = keys.findIndex((key, index) => keys.indexOf(key) < index)
  if (twice >= 0)
    throw invalid(
      `The metric ${plan.metrics[twice]?.name ?? ''} is named twice with the same labels.`,
      `${pointer}/metrics/${twice}`,
    )
  // What falls by all of it cannot fall by more.
  const endless = signals.find(
    ({ worse, marginPercent }) => worse === 'Lower' && marginPercent >= 100,
  )
  if (endless)
    throw invalid(
      `${endless.name} is worse when it is lower, and cannot be lower by more than 100 %: its margin must be below 100.`,
      `${pointer}/marginPercent`,
    )
  return plan
}

const sortLabels = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))

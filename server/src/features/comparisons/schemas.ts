import { Type } from 'typebox'
import { ExactShape, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import {
  BUILT_IN_SIGNALS,
  DEFAULT_CONFIDENCE,
  DEFAULT_MARGIN,
  DEFAULT_TOO_FEW,
  DIRECTIONS,
  LEAST_WINDOW_SECONDS,
  MOST_METRICS,
  MOST_WINDOW_SECONDS,
  TOO_FEW_ANSWERS,
} from './plan.ts'
import { PHASE_STATES, VERDICTS } from './result.ts'

const MarginPercent = Type.Number({ minimum: 0, maximum: 1000 })
const BuiltIn = OneOf('ComparisonSignal', BUILT_IN_SIGNALS)
const Worse = OneOf('ComparisonDirection', DIRECTIONS)
const TooFew = {
  ...OneOf('ComparisonTooFew', TOO_FEW_ANSWERS),
  default: DEFAULT_TOO_FEW,
  description:
    'Where too few devices can be compared: the phase waits until a person begins the next one, or the roll-out stops and asks',
}

export const PlannedComparison = ExactShape(
  'PlannedComparison',
  {
    windowSeconds: Type.Integer({
      minimum: LEAST_WINDOW_SECONDS,
      maximum: MOST_WINDOW_SECONDS,
      description: 'The time after the update of a device that is looked at, and as long before it',
      examples: [86_400],
    }),
    marginPercent: Type.Optional({
      ...MarginPercent,
      default: DEFAULT_MARGIN,
      description: 'Updated devices may change for the worse by so much more than those that wait',
    }),
    confidencePercent: Type.Optional(
      Type.Number({ minimum: 80, maximum: 99.9, default: DEFAULT_CONFIDENCE }),
    ),
    metrics: Type.Optional(
      Type.Array(
        ExactShape('ComparedMetric', {
          name: Type.String({ minLength: 1, maxLength: 200, examples: ['memory_used'] }),
          labels: Type.Optional(
            Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 256 }), {
              maxProperties: 16,
              description: 'Series that have all of these labels',
            }),
          ),
          worse: Worse,
          marginPercent: Type.Optional(
            Nullable(MarginPercent, { description: 'null: that of the comparison' }),
          ),
        }),
        { maxItems: MOST_METRICS, description: 'Metrics that devices report' },
      ),
    ),
    builtIn: Type.Optional(
      Type.Array(BuiltIn, {
        uniqueItems: true,
        maxItems: BUILT_IN_SIGNALS.length,
        description:
          'What the service itself knows: how often devices begin a new run, how often they report a crash, how many log lines of severity Error and Critical they send, how long they are connected by MQTT',
      }),
    ),
    tooFew: Type.Optional(TooFew),
  },
  {
    description:
      'The next phase begins only if updated devices do not change for the worse, compared with those that wait',
  },
)

/** The plan as a deployment shows it: with what was left out. */
export const ShownPlan = Shape('DeploymentComparisonPlan', {
  windowSeconds: Type.Integer(),
  marginPercent: Type.Number(),
  confidencePercent: Type.Number(),
  metrics: Type.Array(
    Shape('DeploymentComparedMetric', {
      name: Type.String(),
      labels: Type.Record(Type.String(), Type.String()),
      worse: Worse,
      marginPercent: Nullable(Type.Number()),
    }),
  ),
  builtIn: Type.Array(BuiltIn),
  tooFew: TooFew,
})

const Compared = OneOf('ComparedSignalKind', [...BUILT_IN_SIGNALS, 'Silence'])

const Acceptance = Shape('ComparisonAcceptance', {
  at: Timestamp,
  byEmail: Nullable(Type.String()),
  reason: Nullable(Type.String()),
})

const state = {
  state: OneOf('ComparisonState', PHASE_STATES),
  reason: Nullable(Type.String(), {
    description: 'In words: what is worse, what is waited for, or what cannot be told',
  }),
  checkedAt: Nullable(Timestamp, { description: 'When a worker last looked; null: not yet' }),
  blindTo: Type.Array(Type.String(), {
    description:
      'Signals that are not worse, but in which even twice as much, or half as much, would have been missed',
  }),
  accepted: Nullable(Acceptance, {
    description: 'A person had the roll-out go on nevertheless: it no longer holds the phase',
  }),
}

export const PhaseComparison = Shape('PhaseComparison', state)

const Group = Shape('ComparisonGroup', {
  deviceCount: Type.Integer({ description: 'Devices that were compared' }),
  withoutValuesCount: Type.Integer({
    description:
      'Devices that were left out, as they lack values before or after, or ran the version already in the time before',
  }),
  meanBefore: Nullable(Type.Number()),
  meanAfter: Nullable(Type.Number()),
  changePercent: Nullable(Type.Number(), {
    description:
      'Where all values are positive the geometric mean of the changes, else the change of the mean; null: nothing was there before',
  }),
})

const PercentOrNone = Nullable(Type.Number(), {
  description: 'Positive: updated devices rose more than those that wait',
})

const ComparisonResult = Shape('ComparisonResult', {
  builtIn: Nullable(Compared, {
    description:
      'Silence is compared always: how many devices were not heard of for half the window, or longer where all report rarely; null: a metric that devices report',
  }),
  name: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  worse: Worse,
  marginPercent: Type.Number(),
  verdict: OneOf('ComparisonVerdict', VERDICTS),
  detail: Type.String({ description: 'The verdict in words' }),
  updated: Group,
  waiting: Group,
  differencePercent: PercentOrNone,
  fromPercent: PercentOrNone,
  toPercent: PercentOrNone,
  pValue: Nullable(Type.Number(), {
    description:
      'How likely such a difference beyond the margin is by chance alone, for this signal by itself; Holm’s rule compares it with the confidence over all signals',
  }),
  smallestPercent: Nullable(Type.Number(), {
    description:
      'The smallest change for the worse that would have been found in nine of ten cases; smaller ones may have been missed; null: it cannot be told in percent',
  }),
  smallestDevices: Nullable(Type.Integer(), {
    description:
      'Where hardly anything happened: on so many of the updated devices it would have to happen to be found in nine of ten cases',
  }),
  isBlind: Type.Boolean({
    description:
      'It is not worse, but even twice as much, or half as much, would have been missed: that says next to nothing',
  }),
  series: Type.Array(
    Shape('ComparisonPoint', {
      seconds: Type.Integer({ description: 'From the update of each device; negative: before it' }),
      updated: Nullable(Type.Number()),
      waiting: Nullable(Type.Number()),
    }),
    { description: 'Means of both groups around the update' },
  ),
  worstDevices: Type.Array(
    Shape('ComparisonDevice', {
      deviceId: Type.String(),
      before: Type.Number(),
      after: Type.Number(),
      changePercent: Nullable(Type.Number()),
    }),
    { description: 'The updated devices that changed most for the worse' },
  ),
})

export const DeploymentComparison = Shape('DeploymentComparison', {
  phases: Type.Array(
    Shape('DeploymentPhaseComparison', {
      phase: Type.Integer({ description: 'Its index, from 0' }),
      ...state,
      plan: ShownPlan,
      results: Type.Array(ComparisonResult, {
        description: 'One for each signal; empty before the first comparison',
      }),
    }),
    { description: 'The phases that ask for a comparison' },
  ),
})

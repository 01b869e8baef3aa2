import { Type } from 'typebox'
import { LOG_SEVERITIES } from '../../formats/device-messages/model.ts'
import {
  Exactly,
  Nullable,
  OneOf,
  PageRequest,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { AGGREGATIONS } from './query-window.ts'

const Text = Type.String({ minLength: 1, maxLength: 200 })
const DeviceIds = Type.Array(Text, { maxItems: 1_000 })
const Time = Type.String({ format: 'date-time' })
const Labels = Type.Record(Type.String(), Type.String())
const LabelFilter = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 256 }), {
  maxProperties: 16,
  description: 'Series and lines that have all of these labels',
})

export const MetricsQuery = Exactly(PageRequest)

export const MetricPage = Shape('MetricPage', {
  metrics: Type.Array(
    Shape('Metric', {
      name: Type.String({ examples: ['temperature'] }),
      labels: Type.Array(Type.String(), {
        description: 'The names of the labels that its series have',
      }),
    }),
  ),
  seriesLimits: Type.Object({ perDevice: Type.Integer(), perWorkspace: Type.Integer() }),
  droppedPoints: Type.Array(
    Shape('DroppedPoints', {
      deviceId: Type.String(),
      points: Type.Integer(),
      lastMetric: Type.String(),
      lastAt: Timestamp,
    }),
    {
      description:
        'Points dropped because their series would exceed the limits, for the 100 devices that had the latest ones. A label with ever new values is the usual cause.',
    },
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const DeviceSeriesQuery = Exactly({ deviceId: Text, ...PageRequest })

export const DeviceSeriesPage = Shape('DeviceSeriesPage', {
  series: Type.Array(
    Shape('DeviceSeries', {
      metric: Type.String({ examples: ['temperature'] }),
      labels: Labels,
      seenAt: {
        ...Timestamp,
        description: 'When a point of it was received, up to two days before the newest one',
      },
    }),
    { description: 'By metric. None for a device that reports no metrics' },
  ),
  wrongClock: Nullable(
    Type.Object({
      deviceTime: Timestamp,
      receivedAt: Timestamp,
    }),
    {
      description:
        'What the clock of the device said of its newest point of the last day, and when that was received, where the clock is not plausible: more than an hour ahead, or behind by the retention. The point is stored under when it was received',
    },
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const LabelValuesQuery = Exactly({ metric: Text, label: Text, ...PageRequest })

export const LabelValuePage = Shape('LabelValuePage', {
  values: Type.Array(Type.String(), { examples: [['case', 'cpu']] }),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const QueryMetricCommand = Exactly(
  {
    metric: Text,
    labels: Type.Optional(LabelFilter),
    deviceIds: Type.Optional(DeviceIds),
    deploymentCohortId: Type.Optional(Type.String({ maxLength: 200, description: 'Id or name' })),
    from: Time,
    to: Type.String({ format: 'date-time', description: 'Exclusive' }),
    stepSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 315_360_000,
        description:
          'Length of the windows, which begin at `from`. Without it there is one window.',
      }),
    ),
    aggregation: Type.Enum([...AGGREGATIONS]),
    groupBy: Type.Optional(Type.Enum(['Device', 'None'], { default: 'None' })),
    ...PageRequest,
  },
  {
    description: '`limit` and `cursor` page through the devices when `groupBy` is `Device`',
    examples: [
      {
        metric: 'temperature',
        labels: { sensor: 'cpu' },
        from: '2026-08-22T00:00:00Z',
        to: '2026-08-23T00:00:00Z',
        stepSeconds: 3600,
        aggregation: 'Average',
        groupBy: 'Device',
      },
    ],
  },
)

export const MetricSeriesPage = Shape('MetricSeriesPage', {
  series: Type.Array(
    Shape('MetricSeries', {
      deviceId: Nullable(Type.String()),
      points: Type.Array(
        Type.Object({
          time: Type.String({ format: 'date-time', description: 'The begin of the window' }),
          value: Type.Number(),
        }),
        { description: 'Windows without points are left out' },
      ),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

const Severity = OneOf('LogSeverity', LOG_SEVERITIES)

export const ListDeviceLogsCommand = Exactly(
  {
    ...PageRequest,
    filter: Type.Optional(
      Exactly(
        {
          deviceIds: Type.Optional(DeviceIds),
          severities: Type.Optional(Type.Array(Severity, { maxItems: LOG_SEVERITIES.length })),
          message: Type.Optional(
            Type.Array(Exactly({ contains: Type.String({ minLength: 1, maxLength: 200 }) }), {
              maxItems: 20,
            }),
          ),
          labels: Type.Optional(LabelFilter),
          from: Type.Optional(Time),
          to: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive' })),
        },
        { description: 'A line matches when it matches any entry of each list' },
      ),
    ),
  },
  {
    examples: [
      {
        limit: 100,
        filter: { severities: ['Error', 'Critical'], message: [{ contains: 'watchdog' }] },
      },
    ],
  },
)

export const DeviceLogPage = Shape('DeviceLogPage', {
  lines: Type.Array(
    Shape('DeviceLogLine', {
      id: Type.String(),
      deviceId: Type.String(),
      time: Timestamp,
      deviceTime: Nullable(Timestamp, {
        description: 'The time by the clock of the device, where that is not plausible',
      }),
      severity: Severity,
      message: Type.String(),
      labels: Labels,
      runId: Nullable(Type.String()),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean({
    description: 'A page may hold fewer lines than the limit, or none, and still have a next page',
  }),
})

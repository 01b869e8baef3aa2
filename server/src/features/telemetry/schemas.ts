import { Type } from 'typebox'
import { LOG_SEVERITIES } from '../../formats/device-messages/model.ts'
import { Exactly, Nullable, PageRequest, Timestamp } from '../../platform/http/schemas.ts'
import { AGGREGATIONS } from './aggregation.ts'

const Text = Type.String({ minLength: 1, maxLength: 200 })
const DeviceIds = Type.Array(Text, { maxItems: 1_000 })
const Time = Type.String({ format: 'date-time' })
const Labels = Type.Record(Type.String(), Type.String())
const LabelFilter = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 256 }), {
  maxProperties: 16,
  description: 'All of these, among others',
})

export const MetricsQuery = Exactly(PageRequest)

export const MetricPage = Type.Object({
  metrics: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['temperature'] }),
      labels: Type.Array(Type.String(), {
        description: 'The names of labels any series of it has',
      }),
    }),
  ),
  seriesLimits: Type.Object({ perDevice: Type.Integer(), perWorkspace: Type.Integer() }),
  droppedPoints: Type.Array(
    Type.Object({
      deviceId: Type.String(),
      points: Type.Integer(),
      lastMetric: Type.String(),
      lastAt: Timestamp,
    }),
    {
      description:
        'Points of series beyond the limits, of the hundred devices that had any last: a label with ever new values?',
    },
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const LabelValuesQuery = Exactly({ metric: Text, label: Text, ...PageRequest })

export const LabelValuePage = Type.Object({
  values: Type.Array(Type.String(), { examples: [['case', 'cpu']] }),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const QueryMetricCommand = Exactly(
  {
    metric: Text,
    labels: Type.Optional(LabelFilter),
    deviceIds: Type.Optional(DeviceIds),
    deploymentCohortId: Type.Optional(Type.String({ maxLength: 200 })),
    from: Time,
    to: Type.String({ format: 'date-time', description: 'Exclusive' }),
    stepSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 315_360_000,
        description: 'Length of the windows, which begin at `from`; left out: one window',
      }),
    ),
    aggregation: Type.Enum([...AGGREGATIONS]),
    groupBy: Type.Optional(Type.Enum(['Device', 'None'], { default: 'None' })),
    ...PageRequest,
  },
  {
    description: 'limit and cursor page through devices, where groupBy is Device',
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

export const MetricSeriesPage = Type.Object({
  series: Type.Array(
    Type.Object({
      deviceId: Nullable(Type.String()),
      points: Type.Array(
        Type.Object({
          time: Type.String({ format: 'date-time', description: 'When the window begins' }),
          value: Type.Number(),
        }),
        { description: 'Windows in which there is nothing are left out' },
      ),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

const Severity = Type.Enum([...LOG_SEVERITIES])

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
        { description: 'Any within a list, and all lists' },
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

export const DeviceLogPage = Type.Object({
  lines: Type.Array(
    Type.Object({
      id: Type.String(),
      deviceId: Type.String(),
      time: Timestamp,
      deviceTime: Nullable(Timestamp, {
        description: 'What the clock of the device said, where it was too far off to be believed',
      }),
      severity: Severity,
      message: Type.String(),
      labels: Labels,
      runId: Nullable(Type.String()),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean({
    description: 'A page may hold fewer lines than asked for, or none, and still have more',
  }),
})

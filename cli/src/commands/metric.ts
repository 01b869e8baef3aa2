import { type Command, Option } from 'commander'
import {
  readAllPages,
  type BodyOf,
  type Metric,
  type MetricPage,
  type MetricSeries,
} from '../../../api-client/src/index.ts'
import { parseInstant, parseSeconds, formatTime } from '../instant.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { findCohortId } from '../named.ts'
import { readLabels, readOneOf, collect } from '../option-values.ts'
import { note, formatCount } from '../print.ts'
import { openSession, type Session } from '../session.ts'
import type { Column } from '../table.ts'

type Query = BodyOf<'queryMetric'>

const AGGREGATIONS = [
  'Average',
  'Minimum',
  'Maximum',
  'Sum',
  'Count',
  'Last',
] as const satisfies readonly Query['aggregation'][]

interface QueryOptions extends ListOptions {
  label?: Record<string, string>
  device?: string[]
  cohort?: string
  from: string
  to?: string
  step?: number
  aggregation: Query['aggregation']
  byDevice?: boolean
}

export function addMetricCommands(program: Command): void {
  const metric = program.command('metric').description('What devices measure')

  withListOptions(metric.command('list'))
    .description('List the metrics and their labels')
    .action(listMetrics)

  withListOptions(metric.command('query'))
    .description('Show a metric over time')
    .argument('<metric>', 'its name, as metric list shows it')
    .option('--label <name=value>', 'only series with this label; may be repeated', readLabels)
    .option('--device <id>', 'only this device; may be repeated', collect)
    .option('--cohort <cohort>', 'only devices of the cohort with this id or name')
    .addOption(
      new Option('--from <time>', 'from this time on, or so long ago')
        .argParser((text: string) => parseInstant(text))
        .default(parseInstant('24h'), '24h'),
    )
    .option('--to <time>', 'before this time (default: now)', (text: string) => parseInstant(text))
    .option('--step <length>', 'length of a window, such as 1h (default: one window)', parseSeconds)
    .option('--aggregation <word>', AGGREGATIONS.join(', '), readOneOf(AGGREGATIONS), 'Average')
    .option('--by-device', 'each device on its own')
    .action(query)
}

const METRICS: readonly Column<Metric>[] = [
  { title: 'METRIC', value: ({ name }) => name },
  { title: 'LABELS', value: (metric) => metric.labels.join(', ') },
]

async function listMetrics(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const pages = readAllPages((cursor) =>
    client.get('/workspaces/{workspaceId}/metrics', { params: { workspaceId }, query: cursor }),
  )
  const metrics: Metric[] = []
  let dropped: MetricPage['droppedPoints'] = []
  for await (const page of pages) {
    for (const each of page.metrics) metrics.push(each)
    dropped = page.droppedPoints
  }
  printListing(options, {
    rows: metrics,
    columns: METRICS,
    nameOf: ({ name }) => name,
    noun: 'metric',
    answer: (rows) => ({ metrics: rows, droppedPoints: dropped }),
  })
  if (dropped.length > 0 && !options.json)
    note(`${formatCount(dropped.length, 'device')} sent points of too many series: see --json.`)
}

async function query(metric: string, options: QueryOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const body = await readQuery(session, metric, options)
  const pages = readAllPages((cursor) =>
    client.post('/workspaces/{workspaceId}/metrics/query', {
      params: { workspaceId },
      body: { ...body, ...cursor },
    }),
  )
  const series: MetricSeries[] = []
  for await (const page of pages) for (const each of page.series) series.push(each)
  printSeries(series, options)
}

async function readQuery(session: Session, metric: string, options: QueryOptions): Promise<Query> {
  const { label, device, cohort, from, to, step, aggregation, byDevice } = options
  return {
    metric,
    from,
    to: to ?? new Date().toISOString(),
    aggregation,
    groupBy: byDevice ? 'Device' : 'None',
    ...(label && { labels: label }),
    ...(device && { deviceIds: device }),
    ...(cohort !== undefined && { deploymentCohortId: await findCohortId(session, cohort) }),
    ...(step !== undefined && { stepSeconds: step }),
  }
}

interface Value {
  deviceId: string | null
  time: string
  value: number
}

const TIMES: readonly Column<Value>[] = [
  { title: 'TIME (UTC)', value: ({ time }) => formatTime(time) },
  { title: 'VALUE', value: ({ value }) => value },
]
const DEVICE: Column<Value> = { title: 'DEVICE', value: ({ deviceId }) => deviceId }

function printSeries(series: readonly MetricSeries[], options: QueryOptions): void {
  const values = series.flatMap(({ deviceId, points }) =>
    points.map((point) => ({ deviceId, ...point })),
  )
  printListing(options, {
    rows: values,
    columns: options.byDevice ? [DEVICE, ...TIMES] : TIMES,
    nameOf: ({ value }) => String(value),
    noun: 'point',
    answer: () => ({ series }),
  })
}

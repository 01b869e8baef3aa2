/** One metric of the device over time. The service makes as many points as a line has room for. */
import type { Device, DeviceSeries } from '@plimsoll/api-client'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import type { Limit } from '../../components/chart/limits.tsx'
import { SeriesChart } from '../../components/chart/series-chart.tsx'
import type { ChartSeries } from '../../components/chart/series-shape.ts'
import { SeriesTable } from '../../components/chart/series-table.tsx'
import { formatSpan, type TimeWindow } from '../../components/chart/time-window.ts'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { formatDate } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { type Aggregation, metricQuery } from '../../workspace-queries.ts'
import {
  type ChosenMetric,
  hasAll,
  formatLabels,
  listLines,
  type MetricRule,
} from './chosen-metrics.ts'
import css from './devices.module.css'

const MOST_LINES = 6
const DAY = 86_400_000
/** As long as anything may be asked for. */
const EVER_DAYS = 390

interface MetricPanelProps {
  device: Device
  chosen: ChosenMetric
  series: readonly DeviceSeries[]
  rules: readonly MetricRule[]
  window: TimeWindow
  aggregation: Aggregation
  at: Date | undefined
  isTable: boolean
  onTable: () => void
  onAt: (at: Date | undefined) => void
  onZoom: (from: Date, to: Date) => void
}

export function MetricPanel(props: MetricPanelProps) {
  const { device, chosen, series, window, aggregation, isTable, onTable } = props
  const lines = listLines(chosen, series)
  const { drawn, error, isPending, retry } = useLines(props, lines.slice(0, MOST_LINES))
  const isEmpty = drawn.every(({ points }) => points.length === 0)
  const title = [chosen.metric, formatLabels(chosen.labels)].filter(Boolean).join(' ')
  return (
    <Panel
      title={<code>{title}</code>}
      note={noteOf(lines.length, aggregation, window.stepMs)}
      aside={
        !isEmpty && (
          <Button
            size="small"
            aria-pressed={isTable}
            aria-label={`${title} as a table`}
            onClick={onTable}
          >
            Table
          </Button>
        )
      }
    >
      {lines.length === 0 && (
        <Empty title={`${device.id} never sent it`}>Take it out, or choose another metric.</Empty>
      )}
      {error !== null && <Failure error={error} onRetry={retry} />}
      {isEmpty && error === null && lines.length > 0 && (
        <>{isPending ? <Loading rows={4} /> : <NoPoints {...props} />}</>
      )}
      {!isEmpty && <Drawn {...props} title={title} lines={drawn} />}
      {!isEmpty && isTable && <SeriesTable label={title} series={drawn} />}
    </Panel>
  )
}

function noteOf(count: number, aggregation: Aggregation, stepMs: number): string {
  const points = `${POINTS[aggregation]} of ${formatSpan(stepMs)}`
  return count > MOST_LINES ? `${points}; ${MOST_LINES} of its ${count} series` : points
}

const POINTS: Record<Aggregation, string> = {
  Average: 'averages',
  Maximum: 'highest values',
  Minimum: 'lowest values',
  Last: 'newest values',
  Count: 'numbers of values',
  Sum: 'sums',
}

type Labels = Readonly<Record<string, string>>

/** A line for each set of labels. */
function useLines(props: MetricPanelProps, labelSets: readonly Labels[]) {
  const { device, chosen, window, aggregation } = props
  const { from, to, stepMs } = window
  const workspaceId = useWorkspaceId()
  const deviceIds = [device.id]
  const asked = { metric: chosen.metric, aggregation, deviceIds, from, to, stepMs, devices: 1 }
  const answers = useQueries({
    queries: labelSets.map((labels) => metricQuery(workspaceId, { ...asked, labels })),
    combine: (all) => ({
      points: all.map(({ data }) => data?.series[0]?.points ?? []),
      error: all.find(({ error }) => error !== null)?.error ?? null,
      isPending: all.some(({ isPending }) => isPending),
      retry: () => void Promise.all(all.map(({ refetch }) => refetch())),
    }),
  })
  const { points } = answers
  const names = labelSets.map((labels) => formatLabels(labels) || nameOf(chosen, labelSets.length))
  const drawn: ChartSeries[] = points.map((some, index) => ({
    name: names[index] ?? '',
    points: some,
  }))
  return { ...answers, drawn }
}

/** A series without labels is read together with those that have some. */
function nameOf({ metric }: ChosenMetric, count: number): string {
  return count === 1 ? metric : 'all together'
}

interface DrawnProps extends MetricPanelProps {
  title: string
  lines: readonly ChartSeries[]
}

function Drawn({ title, lines, chosen, series, rules, window, at, onAt, onZoom }: DrawnProps) {
  const labelSets = listLines(chosen, series)
  const ofMetric = rules.filter(
    ({ condition: { metric, labels } }) =>
      metric === chosen.metric &&
      labelSets.some((line) => hasAll(line, labels) || Object.keys(line).length === 0),
  )
  const levels = ofMetric.filter((rule) => isLevel(rule))
  const limits: Limit[] = useMemo(
    () =>
      levels.map((rule) => ({
        id: rule.id,
        value: rule.condition.threshold,
        text: <RuleLink rule={rule} />,
      })),
    [levels.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join()],
  )
  return (
    <>
      <SeriesChart
        label={title}
        series={lines}
        from={window.from}
        to={window.to}
        stepMs={window.stepMs}
        {...{ limits, at, onAt, onZoom }}
      />
      <Watched metric={chosen.metric} others={ofMetric.filter((rule) => !isLevel(rule))} />
    </>
  )
}

/** Whether its threshold is a value of one device, which a line in the chart can stand for. */
function isLevel({ type, condition }: MetricRule): boolean {
  return type === 'MetricFixedThreshold' && condition.groupBy === 'Device'
}

function RuleLink({ rule: { id, name, state, conditionText } }: { rule: MetricRule }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/alerts/rules/$ruleId" params={{ workspaceId, ruleId: id }}>
      {name}: {conditionText}
      {state === 'Disabled' && ' (off)'}
    </Link>
  )
}

/** Rules whose threshold is no line of the chart, and the way to one more. */
function Watched({ metric, others }: { metric: string; others: readonly MetricRule[] }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  return (
    <p className={css['watched']}>
      {others.length > 0 && (
        <span>
          Also watched by{' '}
          {others.map((rule, index) => (
            <span key={rule.id}>
              {index > 0 && ', '}
              <RuleLink rule={rule} />
            </span>
          ))}
        </span>
      )}
      {mayWrite && (
        <Link
          to="/w/$workspaceId/alerts/rules/$ruleId"
          params={{ workspaceId, ruleId: 'new' }}
          search={{ metric }}
        >
          Watch it with a new rule
        </Link>
      )}
    </p>
  )
}

/** Says where the newest points are: the clock of a device may be far off, or it fell silent long ago. */
function NoPoints({ device, chosen, onZoom }: MetricPanelProps) {
  const workspaceId = useWorkspaceId()
  const asked = useMemo(() => {
    const to = new Date(Math.ceil(Date.now() / DAY) * DAY)
    const from = new Date(to.getTime() - EVER_DAYS * DAY)
    const { metric, labels } = chosen
    const of = { metric, labels, deviceIds: [device.id], devices: 1 }
    return { ...of, aggregation: 'Count' as const, from, to, stepMs: DAY }
  }, [device.id, chosen.metric, formatLabels(chosen.labels)])
  const { data } = useQuery(metricQuery(workspaceId, asked))
  const newest = data?.series[0]?.points.at(-1)
  const day = newest && new Date(newest.time)
  return (
    <Empty
      title="No point in this time"
      action={
        day && (
          <Button onClick={() => onZoom(day, new Date(day.getTime() + DAY))}>
            Show {formatDate(day)}
          </Button>
        )
      }
    >
      {day
        ? `The newest points are of ${formatDate(day)}.`
        : data && 'None is stored any more: points are kept as long as the workspace says.'}
    </Empty>
  )
}

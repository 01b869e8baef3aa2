/** What a rule over a metric compares, as a chart with its threshold. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import type { Limit } from '../../components/chart/limits.tsx'
import { SeriesChart } from '../../components/chart/series-chart.tsx'
import { listChanges, type ChartSeries } from '../../components/chart/series-shape.ts'
import { Failure, Loading } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import { formatAge } from '../../format/dates.ts'
import { formatValue } from '../../format/values.ts'
import { useWorkspaceId } from '../../session.ts'
import { type MetricAsked, metricQuery } from '../../workspace-queries.ts'
import css from './alerts.module.css'
import { dryRunQuery, type Trial } from './queries.ts'
import { parseDurationMs, type RuleBody } from './rule-plan.ts'
import { OPERATORS } from './rule-words.ts'

const DAY = 86_400_000
const LONGEST = 390 * DAY
/** A long window has room for at least so many points. */
const LEAST_POINTS = 12
const MOST_POINTS = 288
const MOST_DEVICES = 5

export type MetricBody = RuleBody & { condition: MetricComparison }
interface MetricComparison extends Pick<MetricAsked, 'metric' | 'labels' | 'aggregation'> {
  groupBy: 'Device' | 'None'
  operator: keyof typeof OPERATORS
  threshold: number
  window?: string
  deploymentCohortId: string | null
}

interface RuleChartProps {
  trial: Trial
  /** As it is filled in by now. */
  threshold: number
  onThreshold: (threshold: number) => void
}

export function RuleChart({ trial: { rule, days }, ...threshold }: RuleChartProps) {
  if (!isMetricBody(rule)) return null
  return <Compare trial={{ rule, days }} {...threshold} />
}

export function isMetricBody(rule: RuleBody | undefined): rule is MetricBody {
  return rule !== undefined && 'metric' in rule.condition
}

interface CompareProps extends RuleChartProps {
  trial: Trial & { rule: MetricBody }
}

function Compare({ trial, threshold, onThreshold }: CompareProps) {
  const { rule, days } = trial
  const { condition } = rule
  const workspaceId = useWorkspaceId()
  const { data: tried, isFetching } = useQuery({
    ...dryRunQuery(workspaceId, trial),
    placeholderData: keepPreviousData,
  })
  const firing = tried?.firingSeries.map(({ series }) => series).slice(0, MOST_DEVICES) ?? []
  const isChange = rule.type === 'MetricPercentualThreshold'
  const asked = useAsked(rule, { firing, days })
  const query = useQuery({
    ...metricQuery(workspaceId, asked),
    enabled: tried !== undefined,
    placeholderData: keepPreviousData,
  })
  const { data, isPlaceholderData } = query
  const error = findBlockingError(query)
  const [at, setAt] = useState<Date>()
  const series = useMemo(() => {
    const { groupBy, metric } = condition
    const all: ChartSeries[] = (data?.series ?? []).map(({ deviceId, points }) => ({
      name: deviceId ?? (groupBy === 'None' ? 'all devices together' : metric),
      points,
    }))
    if (!isChange) return all
    return all.map(({ name, points }) => ({ name, points: listChanges(points, asked.stepMs) }))
  }, [data, isChange, asked.stepMs, condition.metric, condition.groupBy])
  const limits = useLimit({ ...condition, threshold }, { isChange, onThreshold })
  if (error) return <Failure error={error} />
  if (!data) return tried ? <Loading rows={4} /> : null
  if (series.every(({ points }) => points.length === 0))
    return <p className={css['note']}>No device has sent it in this time, so there is no line.</p>
  return (
    <div className={isFetching || isPlaceholderData ? css['old'] : undefined}>
      <Kept series={series} asked={asked} />
      <SeriesChart
        label={isChange ? `${condition.metric}, change in %` : condition.metric}
        {...{ series, limits, at }}
        from={asked.from}
        to={asked.to}
        stepMs={asked.stepMs}
        onAt={setAt}
      />
      {condition.groupBy === 'Device' && tried && (
        <Others shown={series.length} all={tried.seriesCount} areFiring={firing.length > 0} />
      )}
    </div>
  )
}

/** Says where less is kept than the drawing has room for. */
function Kept({ series, asked }: { series: readonly ChartSeries[]; asked: MetricAsked }) {
  const times = series.flatMap(({ points }) => points.slice(0, 1).map(({ time }) => time))
  const first = times.toSorted()[0]
  if (first === undefined || Date.parse(first) - asked.from.getTime() <= SHORT_OF * asked.stepMs)
    return null
  return (
    <p className={css['note']}>
      Only {formatAge(first)}: nothing older of it is kept for these devices.
    </p>
  )
}

/** So many steps may be missing at the beginning: a device that reports seldom is not short of data. */
const SHORT_OF = 12

interface OthersProps {
  shown: number
  all: number
  areFiring: boolean
}

function Others({ shown, all, areFiring }: OthersProps) {
  if (all <= shown) return null
  return (
    <p className={css['note']}>
      {shown} of {formatCount(all)} devices
      {areFiring && ': those which would have fired longest'}.
    </p>
  )
}

interface LimitProps {
  isChange: boolean
  onThreshold: (threshold: number) => void
}

function useLimit(
  { operator, threshold }: MetricComparison,
  { isChange, onThreshold }: LimitProps,
): Limit[] {
  return useMemo(() => {
    const text = `${OPERATORS[operator]} ${formatValue(threshold)}${isChange ? ' %' : ''}`
    return [{ id: 'threshold', value: threshold, text, onMove: onThreshold }]
  }, [operator, threshold, isChange, onThreshold])
}

/** Points as the rule compares them: one for each window, but no more than the chart has room for. */
function useAsked(
  { condition, evaluationFrequency }: MetricBody,
  { firing, days }: { firing: readonly string[]; days: number },
) {
  const { metric, labels, aggregation, groupBy, window, deploymentCohortId } = condition
  const windowMs = parseDurationMs(window ?? evaluationFrequency)
  return useMemo((): MetricAsked => {
    const span = Math.min(Math.max(days * DAY, LEAST_POINTS * windowMs), LONGEST)
    const stepMs = Math.max(windowMs, Math.ceil(span / MOST_POINTS / 60_000) * 60_000)
    const to = Math.ceil(Date.now() / stepMs) * stepMs
    const from = Math.max(Math.floor((to - span) / stepMs) * stepMs, to - LONGEST)
    const ends = { from: new Date(from), to: new Date(to), stepMs }
    const of = { metric, labels, aggregation, ...ends }
    if (deploymentCohortId !== null) Object.assign(of, { deploymentCohortId })
    if (groupBy === 'None') return of
    return { ...of, devices: MOST_DEVICES, ...(firing.length > 0 && { deviceIds: firing }) }
  }, [
    metric,
    JSON.stringify(labels),
    aggregation,
    groupBy,
    windowMs,
    deploymentCohortId,
    firing.join(),
    days,
  ])
}

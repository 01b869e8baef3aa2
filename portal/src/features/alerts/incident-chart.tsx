/** The metric that an incident is about, on what fired, with the threshold and how it was crossed. */
import type { AlertIncident } from '@plimsoll/api-client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { SeriesChart } from '../../components/chart/series-chart.tsx'
import { listChanges } from '../../components/chart/series-shape.ts'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import { formatValue } from '../../format/values.ts'
import { useWorkspaceId } from '../../session.ts'
import { type MetricAsked, metricQuery } from '../../workspace-queries.ts'
import css from './alerts.module.css'
import { incidentSeriesQuery } from './queries.ts'
import { parseDurationMs } from './rule-plan.ts'
import { OPERATORS } from './rule-words.ts'

const HOUR = 3_600_000
const LONGEST = 390 * 24 * HOUR
const MINUTE = 60_000
const MOST_POINTS = 288
const MOST_DEVICES = 5

type MetricCondition = Extract<AlertIncident['condition'], { metric: string }>

export function IncidentChart({ incident }: { incident: AlertIncident }) {
  const { condition } = incident
  if (!('metric' in condition)) return null
  return (
    <Panel title={condition.metric}>
      <Chart incident={incident} condition={condition} />
    </Panel>
  )
}

interface ChartProps {
  incident: AlertIncident
  condition: MetricCondition
}

function Chart({ incident, condition }: ChartProps) {
  const workspaceId = useWorkspaceId()
  const { beganAt, endedAt, seriesCount, alertRule } = incident
  const { metric, groupBy, operator, threshold } = condition
  const list = useInfiniteQuery(incidentSeriesQuery(workspaceId, incident.id))
  const fired = list.data?.pages.flatMap((page) => page.series) ?? []
  const deviceIds = [...new Set(fired.map(({ series }) => series))].slice(0, MOST_DEVICES)
  const asked = useAsked({ incident, condition }, deviceIds)
  const { data, error } = useQuery({
    ...metricQuery(workspaceId, asked),
    enabled: list.data !== undefined,
  })
  const [at, setAt] = useState<Date>()
  const isChange = alertRule.type === 'MetricPercentualThreshold'
  const series = useMemo(
    () =>
      (data?.series ?? []).map(({ deviceId, points }) => ({
        name: deviceId ?? 'all devices together',
        points: isChange ? listChanges(points, asked.stepMs) : points,
      })),
    [data, isChange, asked.stepMs],
  )
  const drawn = useMemo(
    () => ({
      limits: [
        {
          id: 'threshold',
          value: threshold,
          text: `${OPERATORS[operator]} ${formatValue(threshold)}${isChange ? ' %' : ''}`,
        },
      ],
      breach: {
        from: new Date(beganAt),
        to: endedAt === null ? asked.to : new Date(endedAt),
        threshold,
        isAbove: operator.startsWith('Greater'),
      },
    }),
    [operator, threshold, isChange, beganAt, endedAt, asked.to],
  )
  const failure = error ?? list.error
  if (failure) return <Failure error={failure} />
  if (!data) return <Loading rows={4} />
  if (series.every(({ points }) => points.length === 0))
    return <p className={css['note']}>Nothing that was measured in this time is kept.</p>
  return (
    <>
      <SeriesChart
        label={isChange ? `${metric}, change in %` : metric}
        {...{ series, at, ...drawn }}
        from={asked.from}
        to={asked.to}
        stepMs={asked.stepMs}
        onAt={setAt}
      />
      {groupBy === 'Device' && seriesCount > series.length && (
        <p className={css['note']}>
          {series.length} of {formatCount(seriesCount)} that fired.
        </p>
      )}
    </>
  )
}

/** An hour before it began, or as long as it lasted, up to its end and a little after. */
function useAsked({ incident, condition }: ChartProps, deviceIds: readonly string[]): MetricAsked {
  const { beganAt, endedAt } = incident
  const { metric, labels, aggregation, groupBy, window, deploymentCohortId } = condition
  return useMemo(() => {
    const [began, now] = [Date.parse(beganAt), Date.now()]
    const ended = endedAt === null ? now : Date.parse(endedAt)
    const before = Math.max(HOUR, ended - began)
    const span = Math.min(ended - began + 2 * before, LONGEST)
    const least = Math.ceil(span / MOST_POINTS / MINUTE) * MINUTE
    const stepMs = Math.max(window === undefined ? MINUTE : parseDurationMs(window), least)
    const to = Math.ceil(Math.min(ended + before, now) / stepMs) * stepMs
    const from = Math.max(Math.floor((began - before) / stepMs) * stepMs, to - LONGEST)
    const ends = { from: new Date(from), to: new Date(to), stepMs }
    return {
      metric,
      labels,
      aggregation,
      ...ends,
      ...(deploymentCohortId !== null && { deploymentCohortId }),
      ...(groupBy === 'Device' && { devices: MOST_DEVICES }),
      ...(groupBy === 'Device' && deviceIds.length > 0 && { deviceIds }),
    }
  }, [beganAt, endedAt, condition, deviceIds.join()])
}

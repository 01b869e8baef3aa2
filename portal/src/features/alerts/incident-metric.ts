/** The metric that an incident is about, asked for once for its drawing and its table. */
import type { AlertIncident } from '@plimsoll/api-client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type ChartSeries, listChanges } from '../../components/chart/series-shape.ts'
import { useWorkspaceId } from '../../session.ts'
import { type MetricAsked, metricQuery } from '../../workspace-queries.ts'
import { incidentSeriesQuery } from './queries.ts'
import { parseDurationMs } from './rule-plan.ts'

const HOUR = 3_600_000
const LONGEST = 390 * 24 * HOUR
const MINUTE = 60_000
const MOST_POINTS = 288
/** As many as have a colour and a dash of their own. */
const MOST_DEVICES = 5
/** Beside them, in grey. */
const MOST_OTHERS = 12

type MetricCondition = Extract<AlertIncident['condition'], { metric: string }>

export interface MetricOfIncident {
  incident: AlertIncident
  condition: MetricCondition
}

/** What fired, and devices that did not. */
export function useIncidentMetric({ incident, condition }: MetricOfIncident) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(incidentSeriesQuery(workspaceId, incident.id))
  const all = list.data?.pages.flatMap((page) => page.series.map(({ series }) => series)) ?? []
  const fired = [...new Set(all)]
  const deviceIds = fired.slice(0, MOST_DEVICES)
  const asked = useAsked({ incident, condition })
  const isByDevice = condition.groupBy === 'Device'
  const enabled = list.data !== undefined
  const own = isByDevice && deviceIds.length > 0 ? { deviceIds, devices: MOST_DEVICES } : {}
  const { data, error } = useQuery({ ...metricQuery(workspaceId, { ...asked, ...own }), enabled })
  const rest = useQuery({
    ...metricQuery(workspaceId, { ...asked, devices: MOST_OTHERS }),
    enabled: enabled && isByDevice,
  })
  const isChange = incident.alertRule.type === 'MetricPercentualThreshold'
  const series = useSeries(data, isChange, asked.stepMs)
  const near = useSeries(rest.data, isChange, asked.stepMs)
  const others = useMemo(
    () => near.filter(({ name, points }) => !fired.includes(name) && points.length > 0),
    [near, fired.join()],
  )
  return { asked, isChange, series, others, isRead: data !== undefined, error: error ?? list.error }
}

interface MetricAnswer {
  series: readonly { deviceId: string | null; points: ChartSeries['points'] }[]
}

function useSeries(data: MetricAnswer | undefined, isChange: boolean, stepMs: number) {
  return useMemo(
    () =>
      (data?.series ?? []).map(({ deviceId, points }) => ({
        name: deviceId ?? 'all devices together',
        points: isChange ? listChanges(points, stepMs) : points,
      })),
    [data, isChange, stepMs],
  )
}

/** An hour before it began, or as long as it lasted, up to its end and a little after. */
function useAsked({ incident, condition }: MetricOfIncident): MetricAsked {
  const { beganAt, endedAt } = incident
  const { metric, labels, aggregation, window, deploymentCohortId } = condition
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
    const of = { metric, labels, aggregation, ...ends }
    return deploymentCohortId === null ? of : { ...of, deploymentCohortId }
  }, [beganAt, endedAt, condition])
}

import type { AppContext } from '../../platform/context.ts'
import { invalid } from '../../platform/errors.ts'
import { openPage, type Page } from '../../platform/http/paging.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import type { Aggregation } from './aggregation.ts'
import * as store from './query-store.ts'
import { readInTime } from './read-in-time-service.ts'
import { readWindow } from './window.ts'
import { listWindows } from './windows-service.ts'
import type { WindowValue } from './windows-store.ts'

const OVERFLOWS_SHOWN = 100

export async function listMetrics(
  ctx: AppContext,
  input: { workspaceId: string; limit?: number; cursor?: string },
) {
  const { workspaceId } = input
  const { metricSeriesPerDevice, metricSeriesPerWorkspace } = ctx.config.telemetry
  const page = openPage(ctx, ['metrics', workspaceId], input)
  const names = await readInTime(ctx, (tx) =>
    store.listMetricNames(tx, workspaceId, { after: nameIn(page), limit: page.rowLimit }),
  )
  const { page: metrics, next } = page.cut(names, ({ name }) => [name])
  const overflows = await store.listOverflows(ctx.db, workspaceId, OVERFLOWS_SHOWN)
  return {
    metrics,
    seriesLimits: { perDevice: metricSeriesPerDevice, perWorkspace: metricSeriesPerWorkspace },
    droppedPoints: overflows.map(({ deviceId, points, lastName, lastAt }) => ({
      deviceId,
      points,
      lastMetric: lastName,
      lastAt: lastAt.toISOString(),
    })),
    ...next,
  }
}

export interface ListLabelValues {
  workspaceId: string
  metric: string
  label: string
  limit?: number
  cursor?: string
}

export async function listLabelValues(ctx: AppContext, input: ListLabelValues) {
  const { workspaceId, metric, label } = input
  const page = openPage(ctx, ['metric-label-values', workspaceId, metric, label], input)
  const found = await readInTime(ctx, (tx) =>
    store.listLabelValues(
      tx,
      { workspaceId, metric, label },
      { after: nameIn(page), limit: page.rowLimit },
    ),
  )
  const { page: values, next } = page.cut(found, (last) => [last])
  return { values, ...next }
}

export interface QueryMetric {
  workspaceId: string
  metric: string
  labels?: Record<string, string>
  deviceIds?: string[]
  deploymentCohortId?: string
  from: string
  to: string
  stepSeconds?: number
  aggregation: Aggregation
  groupBy?: 'Device' | 'None'
  limit?: number
  cursor?: string
}

/** Values at which an answer would be too large to make or to read. */
const MOST_VALUES = 100_000

export async function queryMetric(ctx: AppContext, input: QueryMetric) {
  const { workspaceId, metric, labels = {}, deviceIds, deploymentCohortId, aggregation } = input
  const { limit = DEFAULT_LIMIT, cursor, groupBy = 'None', ...asked } = input
  const window = readWindow(input)
  const filter = { workspaceId, metric, labels, deviceIds, cohortId: deploymentCohortId }
  // What is no id is the id of nothing.
  if (deploymentCohortId !== undefined && !isUuid(deploymentCohortId))
    return { series: [], hasMore: false }
  if (groupBy === 'None') {
    if (cursor !== undefined) throw invalid('Only what is grouped by device has pages.', '/cursor')
    const query = { ...filter, ...window, aggregation, byDevice: false }
    const points = await listWindows(ctx, query)
    return { series: [{ deviceId: null, points: points.map(asPoint) }], hasMore: false }
  }
  const most = deviceIds ? Math.min(limit, new Set(deviceIds).size) : limit
  if (window.windows * most > MOST_VALUES)
    throw invalid(
      `${window.windows} windows of ${most} devices are more than ${MOST_VALUES} values: ask for fewer devices, or a longer step.`,
      '/limit',
    )
  const page = openPage(ctx, ['metrics-query', workspaceId, asked], input)
  const found = await readInTime(ctx, (tx) =>
    store.listSeriesDevices(tx, filter, { after: nameIn(page), limit: page.rowLimit }),
  )
  const { page: devices, next } = page.cut(found, (last) => [last])
  const query = { ...filter, ...window, aggregation, deviceIds: devices, byDevice: true }
  const points = Map.groupBy(await listWindows(ctx, query), ({ deviceId }) => deviceId)
  return {
    series: devices.map((deviceId) => ({
      deviceId,
      points: (points.get(deviceId) ?? []).map(asPoint),
    })),
    ...next,
  }
}

function asPoint({ time, value }: WindowValue) {
  return { time: time.toISOString(), value }
}

/** Lists of one column are paged by its values. */
function nameIn({ after }: Page): string | undefined {
  return after && String(after[0])
}

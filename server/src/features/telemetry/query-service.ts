import type { AppContext } from '../../platform/context.ts'
import { invalid } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
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
  const { workspaceId, limit = DEFAULT_LIMIT, cursor } = input
  const { metricSeriesPerDevice, metricSeriesPerWorkspace } = ctx.config.telemetry
  const { signingKey } = ctx
  const scope = ['metrics', workspaceId]
  const after = cursor === undefined ? undefined : positionOf(signingKey, scope, cursor)
  const names = await readInTime(ctx, (tx) =>
    store.listMetricNames(tx, workspaceId, { after, limit: limit + 1 }),
  )
  const overflows = await store.listOverflows(ctx.db, workspaceId, OVERFLOWS_SHOWN)
  return {
    metrics: names.slice(0, limit),
    seriesLimits: { perDevice: metricSeriesPerDevice, perWorkspace: metricSeriesPerWorkspace },
    droppedPoints: overflows.map(({ deviceId, points, lastName, lastAt }) => ({
      deviceId,
      points,
      lastMetric: lastName,
      lastAt: lastAt.toISOString(),
    })),
    ...nextPage(ctx, scope, { hasMore: names.length > limit, last: names[limit - 1]?.name }),
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
  const { workspaceId, metric, label, limit = DEFAULT_LIMIT, cursor } = input
  const scope = ['metric-label-values', workspaceId, metric, label]
  const after = cursor === undefined ? undefined : positionOf(ctx.signingKey, scope, cursor)
  const values = await readInTime(ctx, (tx) =>
    store.listLabelValues(tx, { workspaceId, metric, label }, { after, limit: limit + 1 }),
  )
  const page = values.slice(0, limit)
  return {
    values: page,
    ...nextPage(ctx, scope, { hasMore: values.length > limit, last: page.at(-1) }),
  }
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
  const scope = ['metrics-query', workspaceId, asked]
  const after = cursor === undefined ? undefined : positionOf(ctx.signingKey, scope, cursor)
  const devices = await readInTime(ctx, (tx) =>
    store.listSeriesDevices(tx, filter, { after, limit: limit + 1 }),
  )
  const page = devices.slice(0, limit)
  const query = { ...filter, ...window, aggregation, deviceIds: page, byDevice: true }
  const points = Map.groupBy(await listWindows(ctx, query), ({ deviceId }) => deviceId)
  return {
    series: page.map((deviceId) => ({
      deviceId,
      points: (points.get(deviceId) ?? []).map(asPoint),
    })),
    ...nextPage(ctx, scope, { hasMore: devices.length > limit, last: page.at(-1) }),
  }
}

function asPoint({ time, value }: WindowValue) {
  return { time: time.toISOString(), value }
}

function positionOf(key: Buffer, scope: unknown, cursor: string): string {
  return String(decodeCursor(key, scope, cursor).after[0])
}

function nextPage(
  { signingKey, now }: AppContext,
  scope: unknown,
  { hasMore, last }: { hasMore: boolean; last: string | undefined },
) {
  if (!hasMore || last === undefined) return { hasMore: false }
  const position = { after: [last], asOf: now().getTime() }
  return { hasMore, nextCursor: encodeCursor(signingKey, scope, position) }
}

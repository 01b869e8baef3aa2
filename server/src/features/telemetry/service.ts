/** Metrics as people ask for them: their names, their labels, their values over time. */
import { formatCountOf } from '../../formats/counts.ts'
import { addDays } from '../../formats/instants.ts'
import { unpackPoints } from '../../formats/metric-points/packed-points.ts'
import { unpackDaySums } from '../../formats/metric-points/packed-sums.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { isDataException } from '../../platform/db/failures.ts'
import { invalid } from '../../platform/errors.ts'
import { openPage, type Page } from '../../platform/http/paging.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { startPauses } from '../../platform/pauses.ts'
import { readLimit } from '../quotas/index.ts'
import { readWithTimeout, type TelemetryReader } from './query-timeout-service.ts'
import {
  type Aggregation,
  parseQueryWindow,
  type QueryWindow,
  type Span,
  findWholeHours,
} from './query-window.ts'
import * as store from './store.ts'
import { findLastColumn, WindowTotals, type WindowValue } from './window-totals.ts'
import * as windowStore from './windows-store.ts'

const OVERFLOWS_SHOWN = 100

export async function listMetrics(
  ctx: AppContext,
  input: { workspaceId: string; limit?: number; cursor?: string },
) {
  const { workspaceId } = input
  const { metricSeriesPerDevice: perDevice } = ctx.config.telemetry
  const quota = { workspaceId, quota: 'metricSeries' } as const
  const page = openPage(ctx, ['metrics', workspaceId], input)
  const names = await readWithTimeout(ctx, (tx) =>
    store.listMetricNames(tx, workspaceId, { after: textAfter(page), limit: page.rowLimit }),
  )
  const { page: metrics, next } = page.cut(names, ({ name }) => [name])
  const overflows = await store.listOverflows(ctx.db, workspaceId, OVERFLOWS_SHOWN)
  return {
    metrics,
    seriesLimits: { perDevice, perWorkspace: await readLimit(ctx, ctx.db, quota) },
    droppedPoints: overflows.map(({ deviceId, points, lastName, lastAt }) => ({
      deviceId,
      points,
      lastMetric: lastName,
      lastAt,
    })),
    ...next,
  }
}

export async function listDeviceSeries(
  ctx: AppContext,
  input: { workspaceId: string; deviceId: string; limit?: number; cursor?: string },
) {
  const { workspaceId, deviceId } = input
  const page = openPage(ctx, ['device-series', workspaceId, deviceId], input)
  const [metric, id] = page.after ?? []
  const after = metric === undefined ? undefined : { metric: String(metric), id: Number(id) }
  const device = { workspaceId, deviceId }
  const { rows, clock } = await readWithTimeout(ctx, async (tx) => ({
    rows: await store.listDeviceSeries(tx, device, { after, limit: page.rowLimit }),
    clock: await findWrongClock(tx, device, addDays(ctx.now(), -1)),
  }))
  const { page: series, next } = page.cut(rows, (last) => [last.metric, last.id])
  return {
    wrongClock: clock
      ? {
          deviceTime: new Date(clock.deviceTime),
          receivedAt: new Date(clock.receivedAt),
        }
      : null,
    series: series.map(({ metric: name, labels, seenAt }) => ({ metric: name, labels, seenAt })),
    ...next,
  }
}

const CLOCK_SERIES = 5

async function findWrongClock(
  tx: Tx,
  device: { workspaceId: string; deviceId: string },
  since: Date,
): Promise<WrongClock | undefined> {
  const { workspaceId } = device
  const newest: store.NewestPoints[] = []
  for (const seriesId of await store.listLastSeries(tx, device, CLOCK_SERIES))
    for (const each of await store.listNewestPoints(tx, { workspaceId, seriesId }, since))
      newest.push(each)
  return detectWrongClock(newest)
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
  const labelOfMetric = { workspaceId, metric, label }
  const rows = await readWithTimeout(ctx, (tx) =>
    store.listLabelValues(tx, labelOfMetric, { after: textAfter(page), limit: page.rowLimit }),
  )
  const { page: values, next } = page.cut(rows, (last) => [last])
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

/** More values would make an answer too large to build and to read. */
const MOST_VALUES = 100_000

export async function queryMetric(ctx: AppContext, input: QueryMetric) {
  const { workspaceId, metric, labels = {}, deviceIds, deploymentCohortId, aggregation } = input
  const { limit = DEFAULT_LIMIT, cursor, groupBy = 'None', ...asked } = input
  const window = parseQueryWindow(input)
  const filter = { workspaceId, metric, labels, deviceIds, cohortId: deploymentCohortId }
  if (groupBy === 'None') {
    if (cursor !== undefined)
      throw invalid('A cursor is only possible with groupBy Device.', '/cursor')
    const query = { ...filter, ...window, aggregation, byDevice: false }
    const points = await listWindows(ctx, query)
    return { series: [{ deviceId: null, points: points.map(asPoint) }], hasMore: false }
  }
  const most = deviceIds ? Math.min(limit, new Set(deviceIds).size) : limit
  if (window.windows * most > MOST_VALUES)
    throw invalid(
      `${formatCountOf(window.windows, 'window')} of ${formatCountOf(most, 'device')} are more than ${MOST_VALUES} values. Ask for fewer devices or a longer step.`,
      '/limit',
    )
  const page = openPage(ctx, ['metrics-query', workspaceId, asked], input)
  const rows = await readWithTimeout(ctx, (tx) =>
    store.listSeriesDevices(tx, filter, { after: textAfter(page), limit: page.rowLimit }),
  )
  const { page: devices, next } = page.cut(rows, (last) => [last])
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
  return { time, value }
}

/** The position of a list that is sorted by one text. */
function textAfter({ after }: Page): string | undefined {
  return after && String(after[0])
}

export type WindowQuery = windowStore.PointQuery & QueryWindow

/** The values are the same whether points are packed or not. Throws `query-too-large` as `readWithTimeout` does. */
export async function listWindows(
  ctx: TelemetryReader,
  query: WindowQuery,
): Promise<WindowValue[]> {
  try {
    return await readWithTimeout(ctx, async (tx, checkTime) => {
      const reading = { tx, query, checkTime }
      const whole = findWholeHours(query)
      const totals = (whole && (await addUp(reading, whole))) ?? (await addUp(reading))
      return [...(totals?.values() ?? [])]
    })
  } catch (error) {
    if (!isDataException(error) && !(error instanceof RangeError)) throw error
    throw invalid('The values are too large to be added up.', '/aggregation')
  }
}

interface WindowRead {
  tx: Tx
  query: WindowQuery
  checkTime: () => void
}

/** undefined: some of the whole hours have no sums, as their values are too large, so their points have to be read. */
async function addUp(reading: WindowRead, whole?: Span): Promise<WindowTotals | undefined> {
  const { tx, query } = reading
  const rows = await windowStore.listTotals(tx, query, whole)
  if (whole && rows.some(({ isPlain }) => !isPlain)) return undefined
  const totals = new WindowTotals(query, query.aggregation)
  for (const { deviceId, times, values, weights } of rows)
    for (const [at, time] of times.entries())
      totals.addTotal(deviceId, time, { value: values[at] ?? 0, weight: weights[at] ?? 0 })
  if (whole && !(await addPackedDays(reading, totals, whole))) return undefined
  const { from, to } = query
  const edges = whole
    ? [
        { from, to: whole.from },
        { from: whole.to, to },
      ]
    : [{ from, to }]
  for (const edge of edges) if (edge.from < edge.to) await addPacked(reading, totals, edge)
  return totals
}

async function addPacked(
  { tx, query, checkTime }: WindowRead,
  totals: WindowTotals,
  span: Span,
): Promise<void> {
  const pause = startPauses()
  for await (const hours of windowStore.readPackedHours(tx, query, span)) {
    checkTime()
    for (const { deviceId, time, points } of hours) {
      const unpacked = unpackPoints(points, time.getTime())
      totals.addPoints(query.byDevice ? deviceId : null, unpacked, span)
      const rest = pause()
      if (rest) await rest
    }
  }
}

/** false: some hours of the span have no sums. */
async function addPackedDays(
  { tx, query, checkTime }: WindowRead,
  totals: WindowTotals,
  span: Span,
): Promise<boolean> {
  const upTo = findLastColumn(query.aggregation)
  const pause = startPauses()
  for await (const days of windowStore.readPackedDays(tx, query, span)) {
    checkTime()
    for (const { deviceId, time: day, sums } of days) {
      const unpacked = unpackDaySums(sums, day.getTime(), upTo)
      if (!totals.addDay(query.byDevice ? deviceId : null, { day, sums: unpacked }, span))
        return false
      const rest = pause()
      if (rest) await rest
    }
  }
  return true
}

interface WrongClock {
  /** Milliseconds since 1970. */
  deviceTime: number
  receivedAt: number
}

/** What the device's clock said of its newest point, if that was not believed. */
function detectWrongClock(series: readonly store.NewestPoints[]): WrongClock | undefined {
  let newest: { time: number; deviceTime: number | undefined } | undefined
  for (const one of series.flatMap(readNewest)) if (!newest || one.time > newest.time) newest = one
  if (newest?.deviceTime === undefined) return undefined
  return { deviceTime: newest.deviceTime, receivedAt: newest.time }
}

function readNewest({ time, deviceTime, hour, points }: store.NewestPoints) {
  const single = time ? [{ time: time.getTime(), deviceTime: deviceTime?.getTime() }] : []
  if (!hour || !points) return single
  const { times, deviceTimes } = unpackPoints(points, hour.getTime())
  const last = times.length - 1
  return [...single, { time: times[last] ?? -Infinity, deviceTime: deviceTimes.get(last) }]
}

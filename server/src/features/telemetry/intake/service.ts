/** Stores the metrics and logs of a batch of reports, in the transaction of the batch. */
import type { MetricPoint } from '../../../formats/device-messages/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import { takeInWindow } from '../../quotas/index.ts'
import {
  formatLabels,
  formatSeriesKey,
  resolveSeries,
  type WantedSeries,
} from '../series/service.ts'
import { listReportingDevices, type ReportingDevice } from '../series/store.ts'
import { placeTime, type ReportedLine, type ReportedPoint, collectTelemetry } from './reported.ts'
import { recordSequences } from './sequences-service.ts'
import { markLinesNew } from '../logs/stretches-service.ts'
import { insertLines, insertPoints } from './store.ts'
import type { ReportBatch } from '../../devices/index.ts'

type IntakeContext = Pick<AppContext, 'now' | 'config' | 'log' | 'memory'>

/**
 * A point or line that is sent twice is stored once: device, run, series and sequence tell. Without a sequence or a run
 * everything is stored. Reports of a device that was deleted meanwhile are dropped.
 */
export async function storeReportedTelemetry(
  ctx: IntakeContext,
  tx: Tx,
  batch: ReportBatch,
): Promise<void> {
  const { workspaceId, reports } = batch
  const relevant = reports.filter(
    ({ message }) => message.kind === 'metrics' || message.kind === 'logs',
  )
  if (relevant.length === 0) return
  const ids = [...new Set(relevant.map(({ deviceId }) => deviceId))]
  const rows = await listReportingDevices(tx, workspaceId, ids)
  const devices = new Map(rows.map((device) => [device.id, device]))
  const reported = collectTelemetry(reports, (deviceId) => devices.get(deviceId)?.runIds ?? [])
  const storing = { ctx, tx, batch, devices }
  const points = await withSeries(storing, reported.points)
  const lines = reported.lines.filter(({ deviceId }) => devices.has(deviceId))
  await storeNew(storing, points, lines)
}

interface BatchToStore {
  ctx: IntakeContext
  tx: Tx
  batch: ReportBatch
  devices: ReadonlyMap<string, ReportingDevice>
}

type PointOfSeries = ReportedPoint & { seriesId: number }

/** Drops points of deleted devices and points whose series would exceed the limits. */
async function withSeries(
  { ctx, tx, batch, devices }: BatchToStore,
  points: readonly ReportedPoint[],
): Promise<PointOfSeries[]> {
  const wanted = new Map<string, WantedSeries & { at: number }>()
  const placed: { point: ReportedPoint; at: number }[] = []
  for (const point of points) {
    const device = devices.get(point.deviceId)
    if (!device) continue
    const { name, labels = {} } = point.point
    const key = formatSeriesKey(point.point)
    const path = `${device.id}\n${key}`
    const series = wanted.get(path) ?? { device, key, name, labels, points: 0, at: wanted.size }
    series.points += 1
    wanted.set(path, series)
    placed.push({ point, at: series.at })
  }
  const { workspaceId } = batch
  const limits = { perDevice: ctx.config.telemetry.metricSeriesPerDevice }
  const asked = { ctx, workspaceId, seenAt: ctx.now(), limits }
  const ids = await resolveSeries(tx, asked, [...wanted.values()])
  return placed.flatMap(({ point, at }) => {
    const seriesId = ids[at]
    return seriesId === undefined ? [] : [{ ...point, seriesId }]
  })
}

async function storeNew(
  storing: BatchToStore,
  points: readonly PointOfSeries[],
  lines: readonly ReportedLine[],
): Promise<void> {
  const { ctx, tx, batch, devices } = storing
  const { workspaceId } = batch
  const entries = [
    ...points.map((one) => sequenced(one, String(one.seriesId), one.point.sequence)),
    ...lines.map((one) => sequenced(one, 'logs', one.line.sequence)),
  ]
  const isNew = await recordSequences(tx, { workspaceId, updatedAt: ctx.now() }, entries)
  const newPoints = points.filter((_, at) => isNew[at])
  const newLines = await fittingLines(
    storing,
    lines.filter((_, at) => isNew[points.length + at]),
  )
  const daysOf = (deviceId: string) => devices.get(deviceId)
  await insertPoints(
    tx,
    workspaceId,
    newPoints.map((one) => asPoint(one, daysOf(one.deviceId)?.metricRetentionDays ?? 0)),
  )
  const rows = newLines.map((one) => asLine(one, daysOf(one.deviceId)?.logRetentionDays ?? 0))
  await insertLines(tx, workspaceId, rows)
  const marked = { workspaceId, now: ctx.now() }
  await markLinesNew(
    tx,
    marked,
    rows.map(({ time }) => time),
  )
}

/** Those that the workspace may store today. The others are left out, and counted as refused. */
async function fittingLines({ ctx, tx, batch }: BatchToStore, lines: readonly ReportedLine[]) {
  if (lines.length === 0) return []
  const asked = {
    workspaceId: batch.workspaceId,
    quota: 'logLinesPerDay',
    amount: lines.length,
  } as const
  return lines.slice(0, await takeInWindow(ctx, tx, asked))
}

function sequenced(
  { deviceId, runId }: ReportedPoint | ReportedLine,
  counter: string,
  sequence: number | undefined,
) {
  if (sequence === undefined || runId === undefined) return undefined
  return { deviceId, runId, counter, sequence }
}

function asPoint({ point, receivedAt, seriesId }: PointOfSeries, retentionDays: number) {
  return {
    seriesId,
    ...placeTime(point.timestamp, { receivedAt, retentionDays }),
    ...readValues(point),
  }
}

function readValues({ value, aggregate }: MetricPoint) {
  return aggregate ?? { sum: value ?? 0, count: null, min: null, max: null }
}

function asLine({ line, deviceId, runId, receivedAt }: ReportedLine, retentionDays: number) {
  const { severity, message, labels = {}, timestamp } = line
  return {
    id: newId(),
    ...placeTime(timestamp, { receivedAt, retentionDays }),
    deviceId,
    severity,
    message,
    labels: formatLabels(labels),
    runId: runId ?? null,
  }
}

/** Stores what devices measure and log, in the transaction of their batch. */
import type { MetricPoint } from '../../formats/device-messages/model.ts'
import { startOfHour } from '../../formats/instants.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import type { HookContext, ReportBatch, ReportListener } from '../devices/index.ts'
import { placeTime } from './clock.ts'
import { insertLines } from './logs-store.ts'
import { insertPoints, type PointRow } from './points-store.ts'
import { holdHoursOpen, insertLateHours } from './rollup-store.ts'
import { takeSequences } from './sequences-service.ts'
import { labelsText, seriesKey } from './series.ts'
import { resolveSeries, type WantedSeries } from './series-service.ts'
import { listReportingDevices, type ReportingDevice } from './series-store.ts'
import { type SpokenLine, spokenIn, type SpokenPoint } from './spoken.ts'

/**
 * What was sent twice is stored once, by device, run, series and sequence; without a sequence or a run everything is
 * stored. What a device said that is gone by now is dropped.
 */
export const telemetryListener: ReportListener = async (ctx, tx, batch) => {
  const { workspaceId, reports } = batch
  const talkative = reports.filter(
    ({ message }) => message.kind === 'metrics' || message.kind === 'logs',
  )
  if (talkative.length === 0) return
  const ids = [...new Set(talkative.map(({ deviceId }) => deviceId))]
  const rows = await listReportingDevices(tx, workspaceId, ids)
  const devices = new Map(rows.map((device) => [device.id, device]))
  const spoken = spokenIn(reports, (deviceId) => devices.get(deviceId)?.runIds ?? [])
  const storing = { ctx, tx, batch, devices }
  const points = await seriesOf(storing, spoken.points)
  const lines = spoken.lines.filter(({ deviceId }) => devices.has(deviceId))
  await storeNew(storing, points, lines)
}

interface Storing {
  ctx: HookContext
  tx: Tx
  batch: ReportBatch
  devices: ReadonlyMap<string, ReportingDevice>
}

type PointOfSeries = SpokenPoint & { seriesId: number }

/** The points that have a series: not those of a device that is gone, nor those beyond the limits. */
async function seriesOf(
  { ctx, tx, batch, devices }: Storing,
  points: readonly SpokenPoint[],
): Promise<PointOfSeries[]> {
  const wanted = new Map<string, WantedSeries & { at: number }>()
  const placed: { point: SpokenPoint; at: number }[] = []
  for (const point of points) {
    const device = devices.get(point.deviceId)
    if (!device) continue
    const { name, labels = {} } = point.point
    const key = seriesKey(point.point)
    const path = `${device.id}\n${key}`
    const series = wanted.get(path) ?? { device, key, name, labels, points: 0, at: wanted.size }
    series.points += 1
    wanted.set(path, series)
    placed.push({ point, at: series.at })
  }
  const { metricSeriesPerDevice: perDevice, metricSeriesPerWorkspace: perWorkspace } =
    ctx.config.telemetry
  const { workspaceId } = batch
  const limits = { perDevice, perWorkspace }
  const asked = { memory: ctx.memory, workspaceId, seenAt: ctx.now(), limits }
  const ids = await resolveSeries(tx, asked, [...wanted.values()])
  return placed.flatMap(({ point, at }) => {
    const seriesId = ids[at]
    return seriesId === undefined ? [] : [{ ...point, seriesId }]
  })
}

async function storeNew(
  storing: Storing,
  points: readonly PointOfSeries[],
  lines: readonly SpokenLine[],
): Promise<void> {
  const { ctx, tx, batch, devices } = storing
  const { workspaceId } = batch
  const entries = [
    ...points.map((one) => sequenced(one, String(one.seriesId), one.point.sequence)),
    ...lines.map((one) => sequenced(one, 'logs', one.line.sequence)),
  ]
  const isNew = await takeSequences(tx, { workspaceId, updatedAt: ctx.now() }, entries)
  const newPoints = points.filter((_, at) => isNew[at])
  const newLines = lines.filter((_, at) => isNew[points.length + at])
  const daysOf = (deviceId: string) => devices.get(deviceId)
  await storePoints(
    storing,
    newPoints.map((one) => asPoint(one, daysOf(one.deviceId)?.metricRetentionDays ?? 0)),
  )
  await insertLines(
    tx,
    workspaceId,
    newLines.map((one) => asLine(one, daysOf(one.deviceId)?.logRetentionDays ?? 0)),
  )
}

/** With marks at hours whose sums are there already, or soon will be without these points. */
async function storePoints({ tx, batch }: Storing, points: readonly PointRow[]): Promise<void> {
  if (points.length === 0) return
  const { workspaceId } = batch
  const closed = await holdHoursOpen(tx, workspaceId)
  await insertPoints(tx, workspaceId, points)
  const late = closed
    ? points.filter(({ time }) => time >= closed.begunAt && time < closed.closedUntil)
    : []
  if (late.length === 0) return
  const hours = late.map(({ seriesId, time }) => ({ seriesId, time: startOfHour(time).getTime() }))
  await insertLateHours(tx, workspaceId, hours)
}

function sequenced(
  { deviceId, runId }: SpokenPoint | SpokenLine,
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
    ...valuesOf(point),
  }
}

function valuesOf({ value, aggregate }: MetricPoint) {
  return aggregate ?? { sum: value ?? 0, count: null, min: null, max: null }
}

function asLine({ line, deviceId, runId, receivedAt }: SpokenLine, retentionDays: number) {
  const { severity, message, labels = {}, timestamp } = line
  return {
    id: newId(),
    ...placeTime(timestamp, { receivedAt, retentionDays }),
    deviceId,
    severity,
    message,
    labels: labelsText(labels),
    runId: runId ?? null,
  }
}

/** Finds the series of the points of a batch, and creates those that are missing, up to a limit. */
import { hash } from 'node:crypto'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { insertDeletedDevices } from '../retention/store.ts'
import { giveBack, takeWhatFits } from '../../quotas/index.ts'
import { SeriesCache } from './cache.ts'
import * as store from './store.ts'
import type { DevicesChanged } from '../../devices/index.ts'

/** A metric with its labels: what the points of a device are counted and stored under. */
export interface Series {
  name: string
  labels: Readonly<Record<string, string>>
}

/** The same text for the same metric and labels, in any order of the labels. Names of metrics have no line feed. */
export function formatSeriesKey({
  name,
  labels,
}: {
  name: string
  labels?: Series['labels'] | undefined
}): string {
  const text = labels ? formatLabels(labels) : '{}'
  return text === '{}' ? name : `${name}\n${text}`
}

export function formatLabels(labels: Series['labels']): string {
  const members = listLabelNames(labels).map(
    (name) => `${JSON.stringify(name)}:${JSON.stringify(labels[name])}`,
  )
  return `{${members.join(',')}}`
}

function listLabelNames(labels: Series['labels']): string[] {
  return Object.keys(labels).toSorted()
}

function hashSeriesKey(key: string): string {
  return hash('sha256', key, 'hex')
}

interface SeriesLimits {
  perDevice: number
}

/** A series of a device, and how many points of it the batch has. */
export interface WantedSeries extends Series {
  device: store.ReportingDevice
  key: string
  points: number
}

interface Lookup {
  ctx: Pick<AppContext, 'config' | 'memory'>
  workspaceId: string
  seenAt: Date
  limits: SeriesLimits
}

const CACHED = 250_000
const knownSeries = () => ({ cache: new SeriesCache(CACHED) })

/** The ids of the wanted series, in their order. undefined: the limit is reached, or the device was deleted. */
export async function resolveSeries(
  tx: Tx,
  lookup: Lookup,
  wanted: readonly WantedSeries[],
): Promise<(number | undefined)[]> {
  const { workspaceId, seenAt } = lookup
  const { cache } = lookup.ctx.memory.of(knownSeries)
  const ids = wanted.map(({ device, key }) => cache.find({ workspaceId, ...device }, key, seenAt))
  const unknown = wanted.flatMap((one, at) =>
    ids[at] === undefined ? [{ at, wanted: one, digest: hashSeriesKey(one.key) }] : [],
  )
  if (unknown.length === 0) return ids
  const found = await findIds(tx, lookup, unknown)
  for (const { at, wanted: one, digest } of unknown) {
    const id = found.get(`${one.device.id} ${digest}`)
    if (id === undefined) continue
    ids[at] = id
    cache.put({ workspaceId, ...one.device }, { key: one.key, id }, seenAt)
  }
  const missing = unknown.filter(({ at }) => ids[at] === undefined)
  if (missing.length === 0) return ids
  // Not cached, as the transaction may be rolled back.
  const created = await create(tx, lookup, missing)
  for (const { at, wanted: one, digest } of missing)
    ids[at] = created.get(`${one.device.id} ${digest}`)
  return ids
}

interface UnknownSeries {
  at: number
  wanted: WantedSeries
  digest: string
}

async function findIds(
  tx: Tx,
  lookup: Lookup,
  unknown: readonly UnknownSeries[],
): Promise<Map<string, number>> {
  const names = unknown.map(({ wanted, digest }) => ({ deviceId: wanted.device.id, digest }))
  const rows = await store.findSeries(tx, lookup, names)
  return new Map(rows.map(({ deviceId, digest, id }) => [`${deviceId} ${digest}`, id]))
}

async function create(
  tx: Tx,
  lookup: Lookup,
  missing: readonly UnknownSeries[],
): Promise<Map<string, number>> {
  const { workspaceId } = lookup
  const deviceIds = [...new Set(missing.map(({ wanted }) => wanted.device.id))]
  const held = await store.holdDevices(tx, workspaceId, deviceIds)
  const there = missing.filter(({ wanted }) => held.has(wanted.device.id))
  const { admitted, refused } = await admit(tx, lookup, there)
  if (refused.length > 0) await store.addOverflows(tx, workspaceId, countOverflows(refused, lookup))
  if (admitted.length === 0) return new Map()
  const rows = admitted.map(({ wanted: { device, name, labels }, digest }) => ({
    deviceId: device.id,
    digest,
    name,
    labels: formatLabels(labels),
    labelNames: listLabelNames(labels),
  }))
  const added = await store.insertSeries(tx, lookup, rows)
  const unused = { workspaceId, quota: 'metricSeries', amount: admitted.length - added } as const
  await giveBack(tx, unused)
  return findIds(tx, lookup, admitted)
}

/**
 * Up to the limit of each device, then up to that of the workspace. Batches that run at the same time do not see what the
 * others add to a device, so its limit may be exceeded by as much; that of the workspace never is.
 */
async function admit(tx: Tx, lookup: Lookup, there: readonly UnknownSeries[]) {
  const { workspaceId, limits, ctx } = lookup
  const deviceIds = [...new Set(there.map(({ wanted }) => wanted.device.id))]
  const counts = await store.countSeriesOfDevices(tx, workspaceId, deviceIds)
  const hasRoom = there.map(({ wanted: { device } }) => {
    const count = (counts.get(device.id) ?? 0) + 1
    if (count <= limits.perDevice) counts.set(device.id, count)
    return count <= limits.perDevice
  })
  const fitting = there.filter((_, at) => hasRoom[at])
  const asked = { workspaceId, quota: 'metricSeries', amount: fitting.length } as const
  const granted = fitting.length === 0 ? 0 : await takeWhatFits(ctx, tx, asked)
  const admitted = fitting.slice(0, granted)
  const isAdmitted = new Set(admitted)
  return { admitted, refused: there.filter((one) => !isAdmitted.has(one)) }
}

/** Devices are about to be deleted. Workers delete their values and log lines afterwards. */
export async function deleteSeriesOfDevices(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, deviceIds }: DevicesChanged,
): Promise<void> {
  const series = await store.deleteSeriesOfDevices(tx, workspaceId, deviceIds)
  await giveBack(tx, { workspaceId, quota: 'metricSeries', amount: series.length })
  const byDevice = Map.groupBy(series, ({ deviceId }) => deviceId)
  const devices = deviceIds.map((deviceId) => ({
    deviceId,
    seriesIds: (byDevice.get(deviceId) ?? []).map(({ id }) => id),
  }))
  await insertDeletedDevices(tx, { workspaceId, at: now() }, devices)
}

function countOverflows(refused: readonly UnknownSeries[], { seenAt }: Lookup): store.Overflow[] {
  const overflows = new Map<string, store.Overflow>()
  for (const { wanted } of refused) {
    const deviceId = wanted.device.id
    const points = (overflows.get(deviceId)?.points ?? 0) + wanted.points
    overflows.set(deviceId, { deviceId, points, lastName: wanted.name, lastAt: seenAt })
  }
  return [...overflows.values()]
}

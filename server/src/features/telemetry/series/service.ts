/** Finds the series of the points of a batch, and creates those that are missing, up to a limit. */
import type { Tx } from '../../../platform/db/connect.ts'
import type { NodeMemory } from '../../../platform/node-memory.ts'
import { labelNames, labelsText, type Series, seriesDigest } from './series.ts'
import { SeriesCache } from './cache.ts'
import * as store from './store.ts'

interface SeriesLimits {
  perDevice: number
  perWorkspace: number
}

/** A series of a device, and how many points of it the batch has. */
export interface WantedSeries extends Series {
  device: store.ReportingDevice
  key: string
  points: number
}

interface Lookup {
  memory: NodeMemory
  workspaceId: string
  seenAt: Date
  limits: SeriesLimits
}

const CACHED = 250_000
const COUNTED_MS = 60_000

/** `totals`: how many series workspaces have. Counting a million series for every batch would take too long. */
const knownSeries = () => ({
  cache: new SeriesCache(CACHED),
  totals: new Map<string, { count: number; at: number }>(),
})

/** The ids of the wanted series, in their order. undefined: the limit is reached, or the device was deleted. */
export async function resolveSeries(
  tx: Tx,
  lookup: Lookup,
  wanted: readonly WantedSeries[],
): Promise<(number | undefined)[]> {
  const { workspaceId, seenAt } = lookup
  const { cache } = lookup.memory.of(knownSeries)
  const ids = wanted.map(({ device, key }) => cache.find({ workspaceId, ...device }, key, seenAt))
  const unknown = wanted.flatMap((one, at) =>
    ids[at] === undefined ? [{ at, wanted: one, digest: seriesDigest(one.key) }] : [],
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
  const quota = await readQuota(tx, lookup, deviceIds)
  const admitted: UnknownSeries[] = []
  const refused: UnknownSeries[] = []
  for (const one of there) (quota.take(one.wanted.device.id) ? admitted : refused).push(one)
  if (refused.length > 0) await store.addOverflows(tx, workspaceId, overflowsOf(refused, lookup))
  if (admitted.length === 0) return new Map()
  const rows = admitted.map(({ wanted: { device, name, labels }, digest }) => ({
    deviceId: device.id,
    digest,
    name,
    labels: labelsText(labels),
    labelNames: labelNames(labels),
  }))
  await store.insertSeries(tx, lookup, rows)
  return findIds(tx, lookup, admitted)
}

/** Batches that run at the same time do not see what the others add, so the limits may be exceeded by as much. */
async function readQuota(tx: Tx, lookup: Lookup, deviceIds: readonly string[]) {
  const { workspaceId, limits } = lookup
  const counts = await store.countSeriesOf(tx, workspaceId, deviceIds)
  const total = await totalOf(tx, lookup)
  return {
    take(deviceId: string): boolean {
      const count = counts.get(deviceId) ?? 0
      if (count >= limits.perDevice || total.count >= limits.perWorkspace) return false
      counts.set(deviceId, count + 1)
      total.count += 1
      return true
    },
  }
}

async function totalOf(tx: Tx, { memory, workspaceId, seenAt, limits }: Lookup) {
  const { totals } = memory.of(knownSeries)
  const known = totals.get(workspaceId)
  const at = seenAt.getTime()
  if (known && Math.abs(at - known.at) < COUNTED_MS) return known
  const total = { count: await store.countSeries(tx, workspaceId, limits.perWorkspace), at }
  totals.set(workspaceId, total)
  return total
}

function overflowsOf(refused: readonly UnknownSeries[], { seenAt }: Lookup): store.Overflow[] {
  const overflows = new Map<string, store.Overflow>()
  for (const { wanted } of refused) {
    const deviceId = wanted.device.id
    const points = (overflows.get(deviceId)?.points ?? 0) + wanted.points
    overflows.set(deviceId, { deviceId, points, lastName: wanted.name, lastAt: seenAt })
  }
  return [...overflows.values()]
}

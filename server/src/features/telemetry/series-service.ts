/** Which series the points of a batch belong to; those not known yet are made, up to a limit. */
import type { Tx } from '../../platform/db/connect.ts'
import type { NodeMemory } from '../../platform/node-memory.ts'
import { labelNames, labelsText, type Series, seriesDigest } from './series.ts'
import { SeriesCache } from './series-cache.ts'
import * as store from './series-store.ts'

interface SeriesLimits {
  perDevice: number
  perWorkspace: number
}

/** A series of a device, and how often the batch speaks of it. */
export interface WantedSeries extends Series {
  device: store.ReportingDevice
  key: string
  points: number
}

interface Asked {
  memory: NodeMemory
  workspaceId: string
  seenAt: Date
  limits: SeriesLimits
}

const CACHED = 250_000
const COUNTED_MS = 60_000

/** Counting a million series at every batch would make a flood of labels worse than it is: totals are kept a while. */
const knownSeries = () => ({
  cache: new SeriesCache(CACHED),
  totals: new Map<string, { count: number; at: number }>(),
})

/** The ids of series in the order asked; undefined: the device or workspace has no more, or the device is gone. */
export async function resolveSeries(
  tx: Tx,
  asked: Asked,
  wanted: readonly WantedSeries[],
): Promise<(number | undefined)[]> {
  const { workspaceId, seenAt } = asked
  const { cache } = asked.memory.of(knownSeries)
  const ids = wanted.map(({ device, key }) => cache.find({ workspaceId, ...device }, key, seenAt))
  const unknown = wanted.flatMap((one, at) =>
    ids[at] === undefined ? [{ at, wanted: one, digest: seriesDigest(one.key) }] : [],
  )
  if (unknown.length === 0) return ids
  const found = await find(tx, asked, unknown)
  for (const { at, wanted: one, digest } of unknown) {
    const id = found.get(`${one.device.id} ${digest}`)
    if (id === undefined) continue
    ids[at] = id
    cache.put({ workspaceId, ...one.device }, { key: one.key, id }, seenAt)
  }
  const missing = unknown.filter(({ at }) => ids[at] === undefined)
  if (missing.length === 0) return ids
  // Not cached: they are there only when the transaction commits.
  const made = await make(tx, asked, missing)
  for (const { at, wanted: one, digest } of missing)
    ids[at] = made.get(`${one.device.id} ${digest}`)
  return ids
}

interface Unknown {
  at: number
  wanted: WantedSeries
  digest: string
}

async function find(
  tx: Tx,
  asked: Asked,
  unknown: readonly Unknown[],
): Promise<Map<string, number>> {
  const names = unknown.map(({ wanted, digest }) => ({ deviceId: wanted.device.id, digest }))
  const rows = await store.findSeries(tx, asked, names)
  return new Map(rows.map(({ deviceId, digest, id }) => [`${deviceId} ${digest}`, id]))
}

async function make(
  tx: Tx,
  asked: Asked,
  missing: readonly Unknown[],
): Promise<Map<string, number>> {
  const { workspaceId } = asked
  const deviceIds = [...new Set(missing.map(({ wanted }) => wanted.device.id))]
  const held = await store.holdDevices(tx, workspaceId, deviceIds)
  const there = missing.filter(({ wanted }) => held.has(wanted.device.id))
  const room = await roomFor(tx, asked, deviceIds)
  const admitted: Unknown[] = []
  const refused: Unknown[] = []
  for (const one of there) (room.take(one.wanted.device.id) ? admitted : refused).push(one)
  if (refused.length > 0) await store.addOverflows(tx, workspaceId, overflowsOf(refused, asked))
  if (admitted.length === 0) return new Map()
  const rows = admitted.map(({ wanted: { device, name, labels }, digest }) => ({
    deviceId: device.id,
    digest,
    name,
    labels: labelsText(labels),
    labelNames: labelNames(labels),
  }))
  await store.insertSeries(tx, asked, rows)
  return find(tx, asked, admitted)
}

/** Batches side by side may together exceed the limits by what they add. */
async function roomFor(tx: Tx, asked: Asked, deviceIds: readonly string[]) {
  const { workspaceId, limits } = asked
  const counts = await store.countSeriesOf(tx, workspaceId, deviceIds)
  const total = await totalOf(tx, asked)
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

async function totalOf(tx: Tx, { memory, workspaceId, seenAt, limits }: Asked) {
  const { totals } = memory.of(knownSeries)
  const known = totals.get(workspaceId)
  const at = seenAt.getTime()
  if (known && Math.abs(at - known.at) < COUNTED_MS) return known
  const total = { count: await store.countSeries(tx, workspaceId, limits.perWorkspace), at }
  totals.set(workspaceId, total)
  return total
}

function overflowsOf(refused: readonly Unknown[], { seenAt }: Asked): store.Overflow[] {
  const overflows = new Map<string, store.Overflow>()
  for (const { wanted } of refused) {
    const deviceId = wanted.device.id
    const points = (overflows.get(deviceId)?.points ?? 0) + wanted.points
    overflows.set(deviceId, { deviceId, points, lastName: wanted.name, lastAt: seenAt })
  }
  return [...overflows.values()]
}

/** Values of a signal around the updates of devices. */
import { SECOND_MS } from '../../formats/instants.ts'
import { countErrorLines, listWindows, type TelemetryReader } from '../telemetry/index.ts'
import type { BuiltInSignal, Signal } from './plan.ts'
import * as presence from './presence-store.ts'
import type { BinSpan, Measure } from './windows.ts'

interface SignalPart {
  deviceIds: readonly string[]
  span: BinSpan
}

interface SignalQuery extends SignalPart {
  workspaceId: string
}

/** The value of the bin that begins then, in ms since 1970. */
type ValueAt = (begin: number) => number | undefined
/** undefined: the device does not have the signal. */
type SignalValues = (deviceId: string) => ValueAt | undefined
/** Reads some devices. Throws an `AppError` where it takes too long. */
type ReadPart = (part: SignalPart) => Promise<SignalValues>

const MEASURES: Record<BuiltInSignal, Measure> = {
  Restarts: 'Count',
  Crashes: 'Count',
  LogErrors: 'Count',
  ConnectionTime: 'Level',
}

export function findMeasure({ builtIn }: Signal): Measure {
  return builtIn === null ? 'Level' : MEASURES[builtIn]
}

/** What holds for all devices is read once. */
export async function openSignal(
  reader: TelemetryReader,
  signal: Signal,
  workspaceId: string,
): Promise<ReadPart> {
  const { builtIn } = signal
  if (builtIn === null) return (part) => readMetric(reader, signal, { workspaceId, ...part })
  if (builtIn === 'LogErrors') return (part) => readLogErrors(reader, { workspaceId, ...part })
  if (builtIn === 'Crashes') return (part) => readCrashes(reader, { workspaceId, ...part })
  const since = await presence.findRecordedSince(reader.db, workspaceId)
  // Nothing was recorded yet, so nothing is known of any device.
  if (!since) return () => Promise.resolve(() => undefined)
  const read = builtIn === 'Restarts' ? readRestarts : readConnectionTime
  return (part) => read(reader, { workspaceId, since, ...part })
}

async function readMetric(
  ctx: TelemetryReader,
  { name: metric, labels }: Signal,
  { workspaceId, deviceIds, span }: SignalQuery,
): Promise<SignalValues> {
  const { from, to, stepSeconds } = span
  const values = await listWindows(ctx, {
    workspaceId,
    metric,
    labels,
    deviceIds,
    cohortId: undefined,
    aggregation: 'Average',
    byDevice: true,
    from,
    to,
    stepSeconds,
    windows: countBins(span),
  })
  const byDevice = Map.groupBy(values, ({ deviceId }) => deviceId)
  return (deviceId) => {
    const own = byDevice.get(deviceId)
    if (!own) return undefined
    const known = new Map(own.map(({ time, value }) => [Date.parse(time), value]))
    return (begin) => known.get(begin)
  }
}

const countBins = ({ from, to, stepSeconds }: BinSpan) =>
  Math.ceil((to.getTime() - from.getTime()) / 1_000 / stepSeconds)

/** A device that sends lines and none of these had no errors. One that sends no lines at all may have had any number. */
async function readLogErrors(
  ctx: TelemetryReader,
  { workspaceId, deviceIds, span }: SignalQuery,
): Promise<SignalValues> {
  const { counts, loggingIds } = await countErrorLines(ctx, { workspaceId, deviceIds, ...span })
  const byDevice = Map.groupBy(counts, ({ deviceId }) => deviceId)
  const logging = new Set(loggingIds)
  return (deviceId) => {
    if (!logging.has(deviceId)) return undefined
    const known = new Map(
      (byDevice.get(deviceId) ?? []).map(({ time, count }) => [time.getTime(), count]),
    )
    return (begin) => known.get(begin) ?? 0
  }
}

/** New runs that devices reported. Those of hawkBit report none. */
async function readRestarts(
  { db }: TelemetryReader,
  query: presence.RecordedQuery,
): Promise<SignalValues> {
  const known = indexByDevice(await presence.listKnownDevices(db, query))
  const counts = Map.groupBy(await presence.listStartCounts(db, query), ({ deviceId }) => deviceId)
  return (deviceId) => {
    const device = known.get(deviceId)
    if (!device?.hasRuns) return undefined
    const own = new Map(
      (counts.get(deviceId) ?? []).map(({ time, count }) => [time.getTime(), count]),
    )
    return (begin) => (begin < device.knownSince.getTime() ? undefined : (own.get(begin) ?? 0))
  }
}

/** Of devices that report crashes, from the bin on in which they began to. Without a crash they had none. */
async function readCrashes({ db }: TelemetryReader, query: SignalQuery): Promise<SignalValues> {
  const reporters = await presence.listCrashReporters(db, query)
  const since = new Map(reporters.map((reporter) => [reporter.deviceId, reporter.since.getTime()]))
  const counts = Map.groupBy(await presence.listCrashCounts(db, query), ({ deviceId }) => deviceId)
  const stepMs = query.span.stepSeconds * SECOND_MS
  return (deviceId) => {
    const from = since.get(deviceId)
    if (from === undefined) return undefined
    const own = new Map(
      (counts.get(deviceId) ?? []).map(({ time, count }) => [time.getTime(), count]),
    )
    return (begin) => (begin + stepMs <= from ? undefined : (own.get(begin) ?? 0))
  }
}

/** The share of the time in which the device was connected by MQTT; others have no connections. */
async function readConnectionTime(
  { db }: TelemetryReader,
  query: presence.RecordedQuery,
): Promise<SignalValues> {
  const known = indexByDevice(await presence.listKnownDevices(db, query))
  const changes = Map.groupBy(
    await presence.listConnectionChanges(db, query),
    ({ deviceId }) => deviceId,
  )
  const stepMs = query.span.stepSeconds * SECOND_MS
  return (deviceId) => {
    const device = known.get(deviceId)
    if (!device?.hasConnections) return undefined
    const shares = measureConnected(changes.get(deviceId) ?? [], device.connected, query.span)
    return (begin) =>
      begin < device.knownSince.getTime()
        ? undefined
        : shares[(begin - query.span.from.getTime()) / stepMs]
  }
}

const indexByDevice = (devices: readonly presence.KnownDevice[]) =>
  new Map(devices.map((device) => [device.deviceId, device]))

/** The share of each bin. Before its first known change a device was in the other state; without one it is as it was. */
function measureConnected(
  changes: readonly presence.ConnectionChange[],
  connectedNow: boolean,
  span: BinSpan,
): Float64Array {
  const stepMs = span.stepSeconds * SECOND_MS
  const first = span.from.getTime()
  const shares = new Float64Array(countBins(span))
  const end = first + shares.length * stepMs
  let connected = changes[0] ? !changes[0].connected : connectedNow
  let since = first
  const add = (begin: number, until: number) => {
    for (let from = begin; from < until;) {
      const bin = Math.floor((from - first) / stepMs)
      const to = Math.min(until, first + (bin + 1) * stepMs)
      shares[bin] = (shares[bin] ?? 0) + (to - from) / stepMs
      from = to
    }
  }
  const goOnUntil = (instant: number) => {
    const until = Math.min(Math.max(instant, since), end)
    if (connected) add(since, until)
    since = until
  }
  for (const change of changes) {
    goOnUntil(change.at.getTime())
    connected = change.connected
  }
  goOnUntil(end)
  return shares
}

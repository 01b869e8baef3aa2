/** Values of a signal around the updates of devices. */
import { SECOND_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { countErrorLines, listWindows } from '../telemetry/index.ts'
import type { BuiltInSignal, Signal } from './plan.ts'
import * as presence from './presence-store.ts'
import type { BinSpan, Measure } from './windows.ts'

export type ReadContext = Pick<AppContext, 'db' | 'config'>

export interface SignalQuery {
  workspaceId: string
  deviceIds: readonly string[]
  span: BinSpan
}

/** The value of the bin that begins then, in ms since 1970. */
type ValueAt = (begin: number) => number | undefined
/** undefined: the device does not have the signal. */
export type SignalValues = (deviceId: string) => ValueAt | undefined

const MEASURES: Record<BuiltInSignal, Measure> = {
  Restarts: 'Count',
  Crashes: 'Count',
  LogErrors: 'Count',
  ConnectionTime: 'Level',
}

export function findMeasure({ builtIn }: Signal): Measure {
  return builtIn === null ? 'Level' : MEASURES[builtIn]
}

const READERS: Record<
  BuiltInSignal,
  (ctx: ReadContext, query: SignalQuery) => Promise<SignalValues>
> = {
  Restarts: readRestarts,
  Crashes: readCrashes,
  LogErrors: readLogErrors,
  ConnectionTime: readConnectionTime,
}

/** Throws an `AppError` where it takes too long. */
export async function readSignal(
  ctx: ReadContext,
  signal: Signal,
  query: SignalQuery,
): Promise<SignalValues> {
  return signal.builtIn === null
    ? readMetric(ctx, signal, query)
    : READERS[signal.builtIn](ctx, query)
}

async function readMetric(
  ctx: ReadContext,
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
  ctx: ReadContext,
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
async function readRestarts({ db }: ReadContext, query: SignalQuery): Promise<SignalValues> {
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
async function readCrashes({ db }: ReadContext, query: SignalQuery): Promise<SignalValues> {
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
async function readConnectionTime({ db }: ReadContext, query: SignalQuery): Promise<SignalValues> {
  const known = indexByDevice(await presence.listKnownDevices(db, query))
  const changes = Map.groupBy(
    await presence.listConnectionChanges(db, query),
    ({ deviceId }) => deviceId,
  )
  const stepMs = query.span.stepSeconds * SECOND_MS
  return (deviceId) => {
    const device = known.get(deviceId)
    if (!device?.hasConnections) return undefined
    const own = changes.get(deviceId) ?? []
    return (begin) =>
      begin < device.knownSince.getTime()
        ? undefined
        : measureConnected(own, device.connected, { begin, end: begin + stepMs })
  }
}

const indexByDevice = (devices: readonly presence.KnownDevice[]) =>
  new Map(devices.map((device) => [device.deviceId, device]))

/** Before its first known change a device was in the other state; without one it is as it was. */
function measureConnected(
  changes: readonly presence.ConnectionChange[],
  connectedNow: boolean,
  { begin, end }: { begin: number; end: number },
): number {
  const [first] = changes
  let connected = first ? !first.connected : connectedNow
  let since = begin
  let total = 0
  for (const change of changes) {
    const at = Math.min(Math.max(change.at.getTime(), begin), end)
    if (connected) total += at - since
    since = at
    connected = change.connected
  }
  if (connected) total += end - since
  return total / (end - begin)
}

/** Values of a signal around the updates of devices. */
import type { AppContext } from '../../platform/context.ts'
import { countErrorLines, listWindows } from '../telemetry/index.ts'
import type { BuiltInSignal, Signal } from './plan.ts'
import type { BinSpan, Measure } from './windows.ts'

export type ReadContext = Pick<AppContext, 'db' | 'config'>

export interface SignalQuery {
  workspaceId: string
  deviceIds: readonly string[]
  span: BinSpan
}

/** The value of the bin that begins then, in ms since 1970. */
export type ValueAt = (begin: number) => number | undefined
/** undefined: the device does not have the signal. */
export type SignalValues = (deviceId: string) => ValueAt | undefined

const MEASURES: Record<BuiltInSignal, Measure> = {
  Restarts: 'Count',
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
  Restarts: () => Promise.resolve(() => undefined),
  LogErrors: readLogErrors,
  ConnectionTime: () => Promise.resolve(() => undefined),
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

/** Reads the values of one signal around the updates of devices, in a process of its own: millions of values would hold up a worker. */
import type { Calculation } from '../../platform/calculators.ts'
import { isStatementTimeout } from '../../platform/db/failures.ts'
import { AppError } from '../../platform/errors.ts'
import type { Signal } from './plan.ts'
import { addDevices, type MeasuredSignal, orderDevices, startMeasuring } from './signal-results.ts'
import { findMeasure, openSignal } from './signals-service.ts'
import { type PlacedDevice, splitDevices } from './windows.ts'

export interface AskedSignal {
  workspaceId: string
  signal: Signal
  windowSeconds: number
  devices: readonly PlacedDevice[]
  silentIds: ReadonlySet<string>
  /** What one statement may take, and all of them together. */
  querySeconds: number
  mostMs: number
}

export const calculate: Calculation<AskedSignal, MeasuredSignal> = async ({ db }, asked) => {
  const { workspaceId, signal, windowSeconds, devices, silentIds, querySeconds, mostMs } = asked
  const until = performance.now() + mostMs
  const found = startMeasuring(signal, findMeasure(signal))
  try {
    const read = await openSignal(
      { db, config: { telemetry: { querySeconds } } },
      signal,
      workspaceId,
    )
    for (const { devices: part, span } of splitDevices(devices, windowSeconds)) {
      if (performance.now() > until) return buildUnread(asked, TOO_LONG)
      const valuesOf = await read({ deviceIds: part.map(({ deviceId }) => deviceId), span })
      addDevices(found, part, { window: { span, windowSeconds }, silentIds, valuesOf })
    }
  } catch (error) {
    if (isStatementTimeout(error)) return buildUnread(asked, TOO_LONG)
    if (!(error instanceof AppError)) throw error
    return buildUnread(asked, error.message)
  }
  return orderDevices(found)
}

export const TOO_LONG = 'Reading all signals took too long'

/** Of the devices that were read nothing is told: they may be those that have least. */
export const buildUnread = (
  { signal }: Pick<AskedSignal, 'signal'>,
  failure: string,
): MeasuredSignal => ({ ...startMeasuring(signal, findMeasure(signal)), failure })

/** Compares updated devices with those that wait: reads their signals, has them judged, and tells the result. */
import type { AppContext } from '../../platform/context.ts'
import { SECOND_MS } from '../../formats/instants.ts'
import { AppError } from '../../platform/errors.ts'
import type { DueComparison } from './due-store.ts'
import type { JudgedSignal } from './judging-process.ts'
import { listSignals, type Signal } from './plan.ts'
import type { SignalResult } from './result.ts'
import type { Silence } from './silence.ts'
import {
  addDevices,
  askJudge,
  describeSignals,
  type MeasuredSignal,
  orderDevices,
  startMeasuring,
} from './signal-results.ts'
import { findMeasure, readSignal } from './signals-service.ts'
import { type PlacedDevice, splitDevices } from './windows.ts'

export type ComparingContext = Pick<AppContext, 'db' | 'config' | 'now' | 'log' | 'calculators'>

const JUDGE = new URL('./judging-process.ts', import.meta.url)
/** All signals of a deployment together. What was not read by then is not measured. */
const MOST_READING_MS = 60_000

interface Compared {
  devices: readonly PlacedDevice[]
  silence: Silence
  confidencePercent: number
  /** Then it throws. */
  stopping: AbortSignal | undefined
}

export async function compareDevices(
  ctx: ComparingContext,
  due: DueComparison,
  { devices, silence, confidencePercent, stopping }: Compared,
): Promise<SignalResult[]> {
  const until = performance.now() + MOST_READING_MS
  const signals: MeasuredSignal[] = []
  for (const signal of listSignals(due.plan))
    signals.push(await measureSignal(ctx, due, { signal, devices, silence, stopping, until }))
  const measured = { signals, silence }
  const asked = askJudge(measured, {
    confidencePercent,
    seed: parseInt(due.deploymentId.slice(-8), 16),
    hasWaiting: devices.some(({ isUpdated }) => !isUpdated) || silence.waiting.length > 0,
  })
  const judged = (await ctx.calculators.answer(JUDGE, asked)) as JudgedSignal[]
  return describeSignals(measured, judged, due.plan)
}

interface Measuring extends Pick<Compared, 'devices' | 'silence' | 'stopping'> {
  signal: Signal
  until: number
}

async function measureSignal(
  ctx: ComparingContext,
  { workspaceId, plan: { windowSeconds } }: DueComparison,
  { signal, devices, silence, stopping, until }: Measuring,
): Promise<MeasuredSignal> {
  const measure = findMeasure(signal)
  const found = startMeasuring(signal, measure)
  const silent = [...silence.updated, ...silence.waiting].filter(({ isSilent }) => isSilent)
  const silentIds = new Set(silent.map(({ deviceId }) => deviceId))
  try {
    for (const { devices: part, span } of splitDevices(devices, windowSeconds)) {
      stopping?.throwIfAborted()
      if (performance.now() > until)
        throw new AppError('invalid', 'query-too-large', 'Reading all signals took too long.')
      const deviceIds = part.map(({ deviceId }) => deviceId)
      const valuesOf = await readSignal(ctx, signal, { workspaceId, deviceIds, span })
      addDevices(found, part, { window: { span, windowSeconds }, silentIds, valuesOf })
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    ctx.log.warn({ err: error, workspaceId, signal: signal.name }, 'a signal was not compared')
    return { ...startMeasuring(signal, measure), without: found.without, failure: error.message }
  }
  return orderDevices(found)
}

export const endOfWindow = (now: Date, { windowSeconds }: { windowSeconds: number }) =>
  new Date(now.getTime() - windowSeconds * SECOND_MS)

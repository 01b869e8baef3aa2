/** Compares updated devices with those that wait: reads their signals, has them judged, and tells the result. */
import type { AppContext } from '../../platform/context.ts'
import { SECOND_MS } from '../../formats/instants.ts'
import { AppError } from '../../platform/errors.ts'
import { describeResult } from './describe.ts'
import type { JudgedSignal, JudgedSignals } from './judging-process.ts'
import { listSignals, type Signal } from './plan.ts'
import type { GroupResult, SeriesPoint, SignalResult, WorstDevice } from './result.ts'
import type { DueComparison } from './due-store.ts'
import { findMeasure, readSignal } from './signals-service.ts'
import {
  chooseStepSeconds,
  type Measure,
  measureDevice,
  type MeasuredDevice,
  type PlacedDevice,
  splitDevices,
} from './windows.ts'

export type ComparingContext = Pick<AppContext, 'db' | 'config' | 'now' | 'log' | 'calculators'>

interface MeasuredSignal {
  signal: Signal
  measure: Measure
  updated: MeasuredDevice[]
  waiting: MeasuredDevice[]
  /** Devices without values. */
  without: { updated: number; waiting: number }
  /** Why it was not read to its end; undefined: it was. */
  failure: string | undefined
}

const JUDGE = new URL('./judging-process.ts', import.meta.url)
/** All signals of a deployment together. What was not read by then is not measured. */
const MOST_READING_MS = 60_000

/** The devices are ordered, so that the same ones give the same result. */
export async function compareDevices(
  ctx: ComparingContext,
  due: DueComparison,
  { devices, confidencePercent }: { devices: readonly PlacedDevice[]; confidencePercent: number },
): Promise<SignalResult[]> {
  const until = performance.now() + MOST_READING_MS
  const measured: MeasuredSignal[] = []
  for (const signal of listSignals(due.plan))
    measured.push(await measureSignal(ctx, due, { signal, devices, until }))
  const hasWaiting = devices.some(({ isUpdated }) => !isUpdated)
  const asked: JudgedSignals = {
    metrics: measured.map(({ signal, measure, updated, waiting }) => ({
      kind: measure,
      worse: signal.worse,
      marginPercent: signal.marginPercent,
      updated: updated.map(pickSides),
      waiting: waiting.map(pickSides),
    })),
    confidencePercent,
    seed: parseInt(due.deploymentId.slice(-8), 16),
    hasWaiting,
  }
  const judged = (await ctx.calculators.answer(JUDGE, asked)) as JudgedSignal[]
  return measured.map((one, index) => describeSignal(one, judged[index] ?? NOT_JUDGED, due.plan))
}

const pickSides = ({ before, after }: MeasuredDevice) => ({ before, after })

async function measureSignal(
  ctx: ComparingContext,
  { workspaceId, plan: { windowSeconds } }: DueComparison,
  asked: { signal: Signal; devices: readonly PlacedDevice[]; until: number },
): Promise<MeasuredSignal> {
  const { signal, devices, until } = asked
  const measure = findMeasure(signal)
  const found: MeasuredSignal = {
    signal,
    measure,
    updated: [],
    waiting: [],
    without: { updated: 0, waiting: 0 },
    failure: undefined,
  }
  try {
    for (const { devices: part, span } of splitDevices(devices, windowSeconds)) {
      if (performance.now() > until)
        throw new AppError('invalid', 'query-too-large', 'Reading all signals took too long.')
      const deviceIds = part.map(({ deviceId }) => deviceId)
      const values = await readSignal(ctx, signal, { workspaceId, deviceIds, span })
      addDevices(found, part, (device) => {
        const valueAt = values(device.deviceId)
        return valueAt && measureDevice(device, { span, windowSeconds, measure }, valueAt)
      })
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    ctx.log.warn({ err: error, workspaceId, signal: signal.name }, 'a signal was not compared')
    return { ...found, updated: [], waiting: [], failure: error.message }
  }
  const byId = (one: MeasuredDevice, other: MeasuredDevice) =>
    one.deviceId < other.deviceId ? -1 : 1
  return { ...found, updated: found.updated.toSorted(byId), waiting: found.waiting.toSorted(byId) }
}

function addDevices(
  found: MeasuredSignal,
  devices: readonly PlacedDevice[],
  measure: (device: PlacedDevice) => MeasuredDevice | undefined,
): void {
  for (const device of devices) {
    const group = device.isUpdated ? 'updated' : 'waiting'
    const measured = measure(device)
    if (measured) found[group].push(measured)
    else found.without[group]++
  }
}

const NOT_JUDGED: JudgedSignal = {
  verdict: 'TooFew',
  differencePercent: null,
  lowPercent: null,
  highPercent: null,
  pValue: null,
  worst: [],
}

function describeSignal(
  { signal, updated, waiting, without, failure }: MeasuredSignal,
  judged: JudgedSignal,
  { windowSeconds, confidencePercent }: DueComparison['plan'],
): SignalResult {
  const isMeasured = updated.length + waiting.length > 0
  const found = {
    ...signal,
    verdict: isMeasured ? judged.verdict : ('NotMeasured' as const),
    updated: summariseGroup(updated, without.updated),
    waiting: summariseGroup(waiting, without.waiting),
    differencePercent: judged.differencePercent,
    fromPercent: judged.lowPercent,
    toPercent: judged.highPercent,
    pValue: judged.pValue,
    series: drawSeries(updated, waiting, chooseStepSeconds(windowSeconds)),
    worstDevices: judged.worst.flatMap((place): WorstDevice[] => {
      const device = updated[place]
      return device ? [describeDevice(device)] : []
    }),
  }
  const detail = describeResult(found, confidencePercent)
  return { ...found, detail: failure === undefined ? detail : `${detail}. ${failure}` }
}

function describeDevice({ deviceId, before, after }: MeasuredDevice): WorstDevice {
  return { deviceId, before, after, changePercent: changeOf(before, after) }
}

const changeOf = (before: number, after: number) =>
  before === 0 ? null : ((after - before) / Math.abs(before)) * 100

function summariseGroup(devices: readonly MeasuredDevice[], without: number): GroupResult {
  const counts = { deviceCount: devices.length, withoutValuesCount: without }
  if (devices.length === 0)
    return { ...counts, meanBefore: null, meanAfter: null, changePercent: null }
  const meanOf = (valueOf: (device: MeasuredDevice) => number) =>
    devices.reduce((sum, device) => sum + valueOf(device) / devices.length, 0)
  const [meanBefore, meanAfter] = [meanOf(({ before }) => before), meanOf(({ after }) => after)]
  const isPositive = devices.every(({ before, after }) => before > 0 && after > 0)
  const changePercent = isPositive
    ? (Math.exp(meanOf(({ before, after }) => Math.log(after / before))) - 1) * 100
    : changeOf(meanBefore, meanAfter)
  return { ...counts, meanBefore, meanAfter, changePercent }
}

function drawSeries(
  updated: readonly MeasuredDevice[],
  waiting: readonly MeasuredDevice[],
  stepSeconds: number,
): SeriesPoint[] {
  const [first, second] = [averageBins(updated), averageBins(waiting)]
  const places = [...new Set([...first.keys(), ...second.keys()])].toSorted((a, b) => a - b)
  return places.map((place) => ({
    seconds: place * stepSeconds,
    updated: first.get(place) ?? null,
    waiting: second.get(place) ?? null,
  }))
}

function averageBins(devices: readonly MeasuredDevice[]): Map<number, number> {
  const totals = new Map<number, { sum: number; count: number }>()
  for (const { bins } of devices)
    for (const [place, value] of bins) {
      const total = totals.get(place) ?? { sum: 0, count: 0 }
      totals.set(place, { sum: total.sum + value, count: total.count + 1 })
    }
  return new Map(
    Array.from(totals, ([place, { sum, count }]): [number, number] => [place, sum / count]).filter(
      ([, mean]) => Number.isFinite(mean),
    ),
  )
}

export const endOfWindow = (now: Date, { windowSeconds }: { windowSeconds: number }) =>
  new Date(now.getTime() - windowSeconds * SECOND_MS)

/** From measured devices to results: what is asked of the judge, and what its answer means. */
import type { ChangeComparison } from '../../formats/comparison/compare-changes.ts'
import { describeResult } from './describe.ts'
import { type JudgedSignal, type JudgedSignals, packChanges } from './judging-process.ts'
import type { ComparisonPlan, Signal } from './plan.ts'
import type {
  ComparedSignal,
  GroupCounts,
  GroupResult,
  SeriesPoint,
  SignalResult,
  WorstDevice,
} from './result.ts'
import type { Silence } from './silence.ts'
import {
  chooseStepSeconds,
  type Measure,
  measureDevice,
  type MeasuredDevice,
  type MeasuringWindow,
  type PlacedDevice,
} from './windows.ts'

type ComparedDevice = Pick<MeasuredDevice, 'deviceId' | 'before' | 'after'>
type BinTotals = Map<number, { sum: number; count: number }>

export interface MeasuredSignal {
  signal: Signal
  measure: Measure
  updated: ComparedDevice[]
  waiting: ComparedDevice[]
  /** Sums of both groups by steps from the update; the values of single devices are not kept. */
  series: { updated: BinTotals; waiting: BinTotals }
  /** Devices without values. */
  without: GroupCounts
  /** Those of them that had values before the update, and have none after it. */
  lost: GroupCounts
  /** Why it was not read to its end; undefined: it was. */
  failure: string | undefined
}

export function startMeasuring(signal: Signal, measure: Measure): MeasuredSignal {
  return {
    signal,
    measure,
    updated: [],
    waiting: [],
    series: { updated: new Map(), waiting: new Map() },
    without: { updated: 0, waiting: 0 },
    lost: { updated: 0, waiting: 0 },
    failure: undefined,
  }
}

type ValuesOf = (deviceId: string) => ((begin: number) => number | undefined) | undefined

/** A silent device counts nothing any more, which is no sign of health: its counts are left out. */
export function addDevices(
  found: MeasuredSignal,
  devices: readonly PlacedDevice[],
  {
    window,
    silentIds,
    valuesOf,
  }: { window: MeasuringWindow; silentIds: ReadonlySet<string>; valuesOf: ValuesOf },
): void {
  for (const device of devices) {
    const group = device.isUpdated ? 'updated' : 'waiting'
    const isLeftOut = found.measure === 'Count' && silentIds.has(device.deviceId)
    const valueAt = isLeftOut ? undefined : valuesOf(device.deviceId)
    const measured =
      valueAt && measureDevice(device, { ...window, measure: found.measure }, valueAt)
    if (typeof measured === 'object') {
      const { deviceId, before, after } = measured
      found[group].push({ deviceId, before, after })
      addBins(found.series[group], measured)
      continue
    }
    found.without[group]++
    if (measured === 'lost') found.lost[group]++
  }
}

function addBins(totals: BinTotals, { bins }: MeasuredDevice): void {
  for (const [place, value] of bins) {
    const total = totals.get(place) ?? { sum: 0, count: 0 }
    total.sum += value
    total.count++
    totals.set(place, total)
  }
}

/** In one order, so that the same devices give the same result. */
export const orderDevices = (found: MeasuredSignal): MeasuredSignal => ({
  ...found,
  updated: found.updated.toSorted(byId),
  waiting: found.waiting.toSorted(byId),
})

const byId = (one: { deviceId: string }, other: { deviceId: string }) =>
  one.deviceId < other.deviceId ? -1 : 1

export interface MeasuredSignals {
  signals: readonly MeasuredSignal[]
  silence: Silence
  /** Devices that are left out, as they ran the version already in the window before. undefined: none. */
  ranIt?: GroupCounts
}

/** Silence first, then the signals in their order. */
export function askJudge(
  { signals, silence }: Pick<MeasuredSignals, 'signals' | 'silence'>,
  { confidencePercent, seed, hasWaiting }: Omit<JudgedSignals, 'metrics'>,
): JudgedSignals {
  const readSilence = (devices: Silence['updated']) =>
    packChanges(devices.map(({ isSilent }) => ({ before: 0, after: isSilent ? 1 : 0 })))
  return {
    metrics: [
      {
        kind: 'Share',
        worse: 'Higher',
        marginPercent: 0,
        updated: readSilence(silence.updated),
        waiting: readSilence(silence.waiting),
      },
      ...signals.map(({ signal, measure, updated, waiting }) => ({
        kind: measure,
        worse: signal.worse,
        marginPercent: signal.marginPercent,
        updated: packChanges(updated),
        waiting: packChanges(waiting),
      })),
    ],
    confidencePercent,
    seed,
    hasWaiting,
  }
}

export function describeSignals(
  { signals, silence, ranIt = NONE }: MeasuredSignals,
  judged: readonly JudgedSignal[],
  plan: ComparisonPlan,
): SignalResult[] {
  const [ofSilence = NOT_JUDGED, ...others] = judged
  return [
    describeSilenceResult(silence, ofSilence, plan),
    ...signals.map((one, index) =>
      describeSignal({ ...one, ranIt }, others[index] ?? NOT_JUDGED, plan),
    ),
  ]
}

const NOT_JUDGED: JudgedSignal = {
  verdict: 'TooFew',
  differencePercent: null,
  lowPercent: null,
  highPercent: null,
  pValue: null,
  smallest: null,
  worst: [],
}

/** By so many percentage points more of the updated devices may fall silent, or lose a metric, before that holds the phase. */
const MOST_LOST_SHARE = 0.05

const SILENCE: ComparedSignal = {
  builtIn: 'Silence',
  name: 'Silence',
  labels: {},
  worse: 'Higher',
  marginPercent: 0,
}

function describeSilenceResult(
  silence: Silence,
  judged: JudgedSignal,
  { confidencePercent }: ComparisonPlan,
): SignalResult {
  const { updated, waiting } = silence
  const isNotable = isMoreBy(MOST_LOST_SHARE, countSilent(updated), countSilent(waiting))
  const found = {
    ...SILENCE,
    ...readJudged(judged, SILENCE, updated.length),
    verdict: judged.verdict === 'NotWorse' && isNotable ? ('TooFew' as const) : judged.verdict,
    updated: summariseSilence(updated, silence.earlyCount),
    waiting: summariseSilence(waiting, 0),
    series: [],
    worstDevices: judged.worst.flatMap((place): WorstDevice[] => {
      const device = updated[place]
      return device ? [{ deviceId: device.deviceId, before: 0, after: 1, changePercent: null }] : []
    }),
  }
  const told = { confidencePercent, lost: NONE, ranIt: NONE, failure: undefined, silence }
  return { ...found, detail: describeResult(found, told) }
}

const NONE: GroupCounts = { updated: 0, waiting: 0 }

interface Part {
  part: number
  size: number
}

const countSilent = (devices: Silence['updated']): Part => ({
  part: devices.filter(({ isSilent }) => isSilent).length,
  size: devices.length,
})

function isMoreBy(most: number, one: Part, other: Part): boolean {
  const shareOf = ({ part, size }: Part) => (size === 0 ? 0 : part / size)
  return shareOf(one) - shareOf(other) > most
}

function summariseSilence(devices: Silence['updated'], earlyCount: number): GroupResult {
  const { part, size } = countSilent(devices)
  const mean = size === 0 ? null : part / size
  return {
    deviceCount: size,
    withoutValuesCount: earlyCount,
    meanBefore: mean === null ? null : 0,
    meanAfter: mean,
    changePercent: mean === null ? null : mean * 100,
  }
}

function describeSignal(
  measured: MeasuredSignal & { ranIt: GroupCounts },
  judged: JudgedSignal,
  { windowSeconds, confidencePercent }: ComparisonPlan,
): SignalResult {
  const { signal, updated, waiting, series, without, lost, ranIt, failure } = measured
  const found = {
    ...signal,
    ...readJudged(judged, signal, updated.length),
    verdict: decideVerdict({ updated, waiting, lost }, judged),
    updated: summariseGroup(updated, without.updated + ranIt.updated),
    waiting: summariseGroup(waiting, without.waiting + ranIt.waiting),
    series: drawSeries(series, chooseStepSeconds(windowSeconds)),
    worstDevices: judged.worst.flatMap((place): WorstDevice[] => {
      const device = updated[place]
      return device ? [describeDevice(device)] : []
    }),
  }
  const told = { confidencePercent, lost, ranIt, failure, silence: undefined }
  return { ...found, detail: describeResult(found, told) }
}

/** Devices that stopped to report it may be the worst ones: with many of them the others tell too little. */
function decideVerdict(
  { updated, waiting, lost }: Pick<MeasuredSignal, 'updated' | 'waiting' | 'lost'>,
  { verdict }: JudgedSignal,
): SignalResult['verdict'] {
  if (updated.length + waiting.length === 0) return 'NotMeasured'
  const isLost = isMoreBy(
    MOST_LOST_SHARE,
    { part: lost.updated, size: updated.length + lost.updated },
    { part: lost.waiting, size: waiting.length + lost.waiting },
  )
  return verdict === 'NotWorse' && isLost ? 'NotMeasured' : verdict
}

/** Twice as much, or half as much, is what anybody expects to be seen; or that something happens on a quarter of the devices. */
const BLIND_PERCENT = { Higher: 100, Lower: 50 }
const BLIND_SHARE = 0.25

function readJudged(
  { verdict, differencePercent, lowPercent, highPercent, pValue, smallest }: ChangeComparison,
  { worse }: ComparedSignal,
  size: number,
) {
  const [smallestPercent, smallestDevices] = [smallest?.percent ?? null, smallest?.devices ?? null]
  const isSeen =
    smallestPercent === null
      ? smallestDevices !== null && smallestDevices <= BLIND_SHARE * size
      : smallestPercent <= BLIND_PERCENT[worse]
  return {
    differencePercent,
    fromPercent: lowPercent,
    toPercent: highPercent,
    pValue,
    smallestPercent,
    smallestDevices,
    isBlind: verdict === 'NotWorse' && !isSeen,
  }
}

function describeDevice({ deviceId, before, after }: ComparedDevice): WorstDevice {
  return { deviceId, before, after, changePercent: changeOf(before, after) }
}

const changeOf = (before: number, after: number) => {
  const change = ((after - before) / Math.abs(before)) * 100
  return Number.isFinite(change) ? change : null
}

function summariseGroup(devices: readonly ComparedDevice[], without: number): GroupResult {
  const counts = { deviceCount: devices.length, withoutValuesCount: without }
  if (devices.length === 0)
    return { ...counts, meanBefore: null, meanAfter: null, changePercent: null }
  const meanOf = (valueOf: (device: ComparedDevice) => number) =>
    devices.reduce((sum, device) => sum + valueOf(device) / devices.length, 0)
  const [meanBefore, meanAfter] = [meanOf(({ before }) => before), meanOf(({ after }) => after)]
  const isPositive = devices.every(({ before, after }) => before > 0 && after > 0)
  const changePercent = isPositive
    ? (Math.exp(meanOf(({ before, after }) => Math.log(after / before))) - 1) * 100
    : changeOf(meanBefore, meanAfter)
  return { ...counts, meanBefore, meanAfter, changePercent }
}

function drawSeries(
  { updated, waiting }: MeasuredSignal['series'],
  stepSeconds: number,
): SeriesPoint[] {
  const places = [...new Set([...updated.keys(), ...waiting.keys()])].toSorted((a, b) => a - b)
  return places.map((place) => ({
    seconds: place * stepSeconds,
    updated: averageBin(updated.get(place)),
    waiting: averageBin(waiting.get(place)),
  }))
}

function averageBin(total: { sum: number; count: number } | undefined): number | null {
  const mean = total ? total.sum / total.count : Number.NaN
  return Number.isFinite(mean) ? mean : null
}

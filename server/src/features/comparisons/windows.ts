/** The windows before and after the update of each device, cut into bins. */
import { HOUR_MS, SECOND_MS } from '../../formats/instants.ts'

export interface PlacedDevice {
  deviceId: string
  /** When it was updated; of one that waits: when one of the updated ones was. */
  at: Date
  isUpdated: boolean
}

const HOUR_SECONDS = HOUR_MS / SECOND_MS
const LEAST_BINS = 12
const MOST_BINS = 48

/** Whole hours where the window has enough of them, as sums of hours are there already. */
export function chooseStepSeconds(windowSeconds: number): number {
  if (windowSeconds < 6 * HOUR_SECONDS) return Math.floor(windowSeconds / LEAST_BINS)
  return HOUR_SECONDS * Math.ceil(windowSeconds / MOST_BINS / HOUR_SECONDS)
}

/**
 * Those that wait are looked at around the instants at which the others were updated, in their proportions, so that both groups have
 * the same hours of the same days. The answer is ordered by instant.
 */
export function placeDevices(
  updated: readonly { deviceId: string; at: Date }[],
  waitingIds: readonly string[],
): PlacedDevice[] {
  const instants = updated
    .map(({ at }) => at)
    .toSorted((one, other) => one.getTime() - other.getTime())
  const waiting = waitingIds.flatMap((deviceId, index) => {
    const at = instants[Math.floor(((index + 0.5) / waitingIds.length) * instants.length)]
    return at ? [{ deviceId, at, isUpdated: false }] : []
  })
  return [...updated.map((device) => ({ ...device, isUpdated: true })), ...waiting].toSorted(
    (one, other) =>
      one.at.getTime() - other.at.getTime() || (one.deviceId < other.deviceId ? -1 : 1),
  )
}

export interface BinSpan {
  from: Date
  to: Date
  stepSeconds: number
}

const MOST_DEVICES_AT_ONCE = 250

/** Devices that are read at once: not too many, and updated at about the same time. */
export function* splitDevices(
  devices: readonly PlacedDevice[],
  windowSeconds: number,
): Generator<{ devices: readonly PlacedDevice[]; span: BinSpan }> {
  const windowMs = windowSeconds * SECOND_MS
  for (let first = 0; first < devices.length;) {
    const begin = devices[first]?.at.getTime() ?? 0
    let end = first + 1
    while (
      end < devices.length &&
      end - first < MOST_DEVICES_AT_ONCE &&
      (devices[end]?.at.getTime() ?? 0) - begin <= 2 * windowMs
    )
      end++
    const part = devices.slice(first, end)
    yield { devices: part, span: coverWindows(part, windowSeconds) }
    first = end
  }
}

function coverWindows(devices: readonly PlacedDevice[], windowSeconds: number): BinSpan {
  const windowMs = windowSeconds * SECOND_MS
  const first = devices[0]?.at.getTime() ?? 0
  const last = devices.at(-1)?.at.getTime() ?? first
  const stepSeconds = chooseStepSeconds(windowSeconds)
  const stepMs = stepSeconds * SECOND_MS
  const from = Math.floor((first - windowMs) / HOUR_MS) * HOUR_MS
  const bins = Math.ceil((last + windowMs - from) / stepMs)
  return { from: new Date(from), to: new Date(from + bins * stepMs), stepSeconds }
}

export interface MeasuredDevice extends PlacedDevice {
  before: number
  after: number
  /** [steps from the update, value]; negative: before it. */
  bins: (readonly [number, number])[]
}

/** How values of bins become one: the mean of a level, or the sum of what is counted. */
export type Measure = 'Level' | 'Count'

export interface MeasuringWindow {
  span: BinSpan
  windowSeconds: number
}

/**
 * The same number of bins on each side of the update; the one that it lies in is on neither, as it belongs to both. undefined: one of the
 * sides has no value, or what is counted was not counted in all of it. 'lost': there were values before, and none came after.
 */
export function measureDevice(
  device: PlacedDevice,
  { span, windowSeconds, measure }: MeasuringWindow & { measure: Measure },
  valueAt: (begin: number) => number | undefined,
): MeasuredDevice | 'lost' | undefined {
  const stepMs = span.stepSeconds * SECOND_MS
  const offset = (device.at.getTime() - span.from.getTime()) / stepMs
  const isOnEdge = Number.isInteger(offset)
  const count = Math.floor(windowSeconds / span.stepSeconds) - (isOnEdge ? 0 : 1)
  const [firstAfter, firstBefore] = [Math.ceil(offset), Math.floor(offset) - 1]
  const read = (index: number, place: number): (readonly [number, number])[] => {
    const value = readValue(valueAt(span.from.getTime() + index * stepMs))
    return value === undefined ? [] : [[place, value]]
  }
  const steps = Array.from({ length: count }, (_, step) => step)
  const before = steps.flatMap((step) => read(firstBefore - step, -1 - step))
  const after = steps.flatMap((step) => read(firstAfter + step, step))
  if (before.length > 0 && after.length === 0) return 'lost'
  const least = measure === 'Count' ? count : 1
  if (before.length < least || after.length < least) return undefined
  const sides = { before: combine(before, measure), after: combine(after, measure) }
  if (!Number.isFinite(sides.before) || !Number.isFinite(sides.after)) return undefined
  return { ...device, ...sides, bins: [...before.toReversed(), ...after] }
}

/** Quotients of values, and the squares of these, have to stay numbers. Nothing that is measured is so large, or so small and not zero. */
const MOST_VALUE = 1e60
const LEAST_VALUE = 1e-60

function readValue(value: number | undefined): number | undefined {
  if (value === undefined || !(Math.abs(value) <= MOST_VALUE)) return undefined
  return Math.abs(value) < LEAST_VALUE ? 0 : value
}

function combine(bins: readonly (readonly [number, number])[], measure: Measure): number {
  const sum = bins.reduce((total, [, value]) => total + value, 0)
  return measure === 'Count' ? sum : sum / bins.length
}

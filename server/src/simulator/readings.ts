/** What simulated devices measure. It depends on the device and the instant alone, so that a chart goes on where an earlier run of the same device ended. */
import { addMs, countDays, DAY_MS, HOUR_MS, startOfDay } from '../formats/instants.ts'
import { findMin } from '../formats/extremes.ts'
import type { LogSeverity } from '../formats/device-messages/model.ts'
import { drawChance } from './chance.ts'
import type { MeasuringDevice } from './options.ts'

const HOTTEST_HOUR = 15
const HOTTEST_DAY = 201
const DAYS_OF_YEAR = 365.25

/** A value from -1 to 1 that returns after `period`, highest at `peak`. */
const swing = (at: number, { period, peak }: { period: number; peak: number }) =>
  Math.cos(((at - peak) / period) * 2 * Math.PI)

/** How much hotter than usual a device becomes whose fan stands still, and how fast: half of it in the first nine hours. */
const FAN_DEGREES = 34
const FAN_HALF_MS = 9 * HOUR_MS

/** °C of the processor: 31 to 53 by the season, the hour and the place; 34 more without a fan. */
export function measureTemperature({ id, fanFailedAt }: MeasuringDevice, at: Date): number {
  const hour = (at.getTime() % DAY_MS) / HOUR_MS
  const day = countDays(at)
  const place = 4 * drawChance(id, 'place') - 2
  const load = 2 * drawChance(id, 'load', Math.floor(at.getTime() / (HOUR_MS / 6))) - 1
  const outside =
    5 * swing(day, { period: DAYS_OF_YEAR, peak: HOTTEST_DAY }) +
    3 * swing(hour, { period: 24, peak: HOTTEST_HOUR })
  return round(42 + outside + place + load + extraDegrees(fanFailedAt, at))
}

function extraDegrees(fanFailedAt: Date | undefined, at: Date): number {
  const ms = fanFailedAt ? at.getTime() - fanFailedAt.getTime() : 0
  return ms > 0 ? FAN_DEGREES * (1 - 2 ** (-ms / FAN_HALF_MS)) : 0
}

const round = (value: number) => Math.round(value * 10) / 10

/** Megabytes: each device has its own level, and uses a little more or less every ten minutes. */
export function measureMemory({ id }: MeasuringDevice, at: Date): number {
  const level = 180 + 140 * drawChance(id, 'memory')
  const load = 2 * drawChance(id, 'memory', Math.floor(at.getTime() / (HOUR_MS / 6))) - 1
  return level * (1 + 0.04 * load)
}

/** Percent. */
export function measureBattery(device: MeasuringDevice, at: Date): number {
  return Math.round(device.power === 'mains' ? chargeOnMains(device, at) : chargeOfCell(device, at))
}

/** Share of its life, and percent: fast at first, long and flat, and steep at the end. */
const DISCHARGE = [
  [0, 100],
  [0.04, 94],
  [0.5, 74],
  [0.85, 46],
  [0.95, 21],
  [1, 3],
] as const

/** It is replaced when it is empty. Cold costs it some percent. */
function chargeOfCell({ id }: MeasuringDevice, at: Date): number {
  const life = 500 + 300 * drawChance(id, 'life')
  const age = at.getTime() / DAY_MS + life * drawChance(id, 'age')
  const cold = swing(countDays(at), { period: DAYS_OF_YEAR, peak: HOTTEST_DAY }) - 1
  return Math.max(0, interpolate((age % life) / life) + cold)
}

function interpolate(share: number): number {
  const next = DISCHARGE.findIndex(([end]) => share <= end)
  const [end, low] = DISCHARGE[next] ?? [1, 0]
  const [begin, high] = DISCHARGE[next - 1] ?? [0, 100]
  return end === begin ? low : high + ((share - begin) / (end - begin)) * (low - high)
}

/** How often the mains fail: once in so many days. */
const DAYS_BETWEEN_FAILURES = 40
const DISCHARGE_AN_HOUR = 17
const CHARGE_AN_HOUR = 11

/** Full, but for the hours of a failure and those after it. */
function chargeOnMains({ id }: MeasuringDevice, at: Date): number {
  const today = countDays(at)
  const charges = [today - 1, today].map((day) => chargeAfterFailure(id, { day, at }))
  return findMin(charges, 100)
}

function chargeAfterFailure(id: string, { day, at }: { day: number; at: Date }): number {
  if (drawChance(id, 'failure', day) >= 1 / DAYS_BETWEEN_FAILURES) return 100
  const began = addMs(startOfDay(day), 20 * HOUR_MS * drawChance(id, 'began', day))
  const lasted = 0.5 + 3.5 * drawChance(id, 'lasted', day)
  const hours = (at.getTime() - began.getTime()) / HOUR_MS
  if (hours < 0) return 100
  const low = 100 - DISCHARGE_AN_HOUR * Math.min(hours, lasted)
  return low + CHARGE_AN_HOUR * Math.max(0, hours - lasted)
}

interface Worry {
  severity: LogSeverity
  message: string
}

const HOT = 60
const THROTTLED = 70

/** What a device that is too hot writes into its log: nothing below 60 °C. */
export function describeWorries(device: MeasuringDevice, at: Date): Worry[] {
  const degrees = measureTemperature(device, at)
  if (degrees < HOT) return []
  const draw = drawChance(device.id, 'worry', at.getTime())
  const hot: Worry = {
    severity: 'Warning',
    message: `thermal: cpu0 at ${degrees} °C, fan at 0 rpm`,
  }
  if (degrees < THROTTLED) return [hot]
  const slow: Worry = {
    severity: 'Error',
    message: `thermal: cpu0 throttled to 600 MHz at ${degrees} °C`,
  }
  const late: Worry = {
    severity: 'Error',
    message: 'upload of 240 readings timed out after 30 s, kept for later',
  }
  return draw < 0.2 ? [hot, slow, late] : [hot, slow]
}

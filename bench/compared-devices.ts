/** What devices do in the days before an update and in as many after it, hour by hour; for `bench/comparison.ts`. */
import type {
  BeforeAfter,
  MetricChanges,
} from '../server/src/formats/comparison/compare-changes.ts'

const HOURS = 24

/** What differs between the days, or between the devices of a group and others. */
export interface Circumstances {
  /** What the update does to the metric: 1.2 is a fifth more. */
  update: number
  /** What the day does to all devices: a weekend, a cold night. */
  day: number
  /** How large the devices of the group are beside others. */
  size: number
  /** Days of the window. */
  days: number
}

export const USUAL: Circumstances = { update: 1, day: 1, size: 1, days: 1 }

export interface DeviceModel extends Pick<MetricChanges, 'kind' | 'worse'> {
  /** The model in words. */
  words: string
  draw: (random: () => number, circumstances: Circumstances) => BeforeAfter
}

/** Box and Muller. */
export function drawNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

const drawAround = (random: () => number, spread: number) => Math.exp(spread * drawNormal(random))

/** Knuth's product for small rates, the normal limit for large ones. */
export function drawPoisson(random: () => number, rate: number): number {
  if (rate > 50) return Math.max(0, Math.round(rate + Math.sqrt(rate) * drawNormal(random)))
  const least = Math.exp(-rate)
  let count = 0
  for (let left = random(); left > least; left *= random()) count++
  return count
}

interface HourlyShape {
  /** The spread of the devices' own levels, as that of a logarithm. */
  devices: number
  /** The spread from hour to hour, and how much of it stays in the next hour. */
  hours: number
  stays: number
  /** The spread from day to day, beside the hours. */
  days: number
  /** How far the level swings with the clock. Each device has its own hour of the peak. */
  swing: number
}

function drawLevel(
  random: () => number,
  { update, day, size, days }: Circumstances,
  shape: HourlyShape,
): BeforeAfter {
  const level = size * drawAround(random, shape.devices)
  const peak = random() * HOURS
  let noise = shape.hours * drawNormal(random)
  const measureDay = (factor: number) => {
    const own = level * factor * drawAround(random, shape.days)
    let sum = 0
    for (let hour = 0; hour < HOURS; hour++) {
      noise =
        shape.stays * noise + shape.hours * Math.sqrt(1 - shape.stays ** 2) * drawNormal(random)
      const clock = 1 + shape.swing * Math.cos(((hour - peak) / HOURS) * 2 * Math.PI)
      sum += own * clock * Math.exp(noise)
    }
    return sum / HOURS
  }
  const measureDays = (factor: number) => sumDays(days, () => measureDay(factor)) / days
  return { before: measureDays(1), after: measureDays(update * day) }
}

function sumDays(days: number, ofDay: () => number): number {
  return Array.from({ length: days }, ofDay).reduce((sum, value) => sum + value, 0)
}

/** Counts whose rate differs between devices, and a day more or less than chance alone would have it. */
function drawCount(
  random: () => number,
  { update, day, size, days }: Circumstances,
  { rate, devices, daily }: { rate: number; devices: number; daily: number },
): BeforeAfter {
  // The mean of the rates is `rate`, whatever their spread.
  const own = size * rate * drawAround(random, devices) * Math.exp(-(devices ** 2) / 2)
  const countDays = (factor: number) =>
    sumDays(days, () => drawPoisson(random, own * factor * drawAround(random, daily)))
  return { before: countDays(1), after: countDays(update * day) }
}

/** Seconds of a day with a connection. What makes it worse takes a part of the time. */
function drawConnection(
  random: () => number,
  { update, day, size, days }: Circumstances,
): BeforeAfter {
  const outages = 3 * size * drawAround(random, 0.8)
  const measureDay = (factor: number) => {
    let lost = 0
    for (let left = drawPoisson(random, outages * factor); left > 0; left--)
      lost += 10 * 60 * drawAround(random, 1.2)
    return Math.max(60, HOURS * 3_600 - lost)
  }
  const after = sumDays(days, () => Math.max(60, measureDay(day) * (2 - update)))
  return { before: sumDays(days, () => measureDay(1)), after }
}

function describeCounts(rate: number, devices = 0.5, daily = 0.2): DeviceModel {
  return {
    kind: 'Count',
    worse: 'Higher',
    words: `${rate} a device and day, devices ±${devices}, days ±${daily}`,
    draw: (random, circumstances) => drawCount(random, circumstances, { rate, devices, daily }),
  }
}

export const MODELS: Record<string, DeviceModel> = {
  memory: {
    kind: 'Level',
    worse: 'Higher',
    words: 'devices ±0.4, hours ±0.1 (0.9 of it stays), days ±0.03, swing 0.1',
    draw: (random, circumstances) =>
      drawLevel(random, circumstances, {
        devices: 0.4,
        hours: 0.1,
        stays: 0.9,
        days: 0.03,
        swing: 0.1,
      }),
  },
  'battery draw': {
    kind: 'Level',
    worse: 'Higher',
    words: 'devices ±0.5, hours ±0.4 (0.6 of it stays), days ±0.12, swing 0.5',
    draw: (random, circumstances) =>
      drawLevel(random, circumstances, {
        devices: 0.5,
        hours: 0.4,
        stays: 0.6,
        days: 0.12,
        swing: 0.5,
      }),
  },
  'connection time': {
    kind: 'Level',
    worse: 'Lower',
    words: '3 outages of 10 minutes a day, devices ±0.8, outages ±1.2',
    draw: drawConnection,
  },
  'log errors': describeCounts(60, 0.8, 0.3),
  'log errors, few': describeCounts(5, 0.8, 0.3),
  restarts: describeCounts(0.5),
  crashes: describeCounts(0.02, 1),
}

export function drawDevices(
  model: DeviceModel,
  count: number,
  { random, ...circumstances }: Circumstances & { random: () => number },
): BeforeAfter[] {
  return Array.from({ length: count }, () => model.draw(random, circumstances))
}

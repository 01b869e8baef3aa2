/** What devices do hour by hour; for the roll-outs of `bench/comparison.ts`. */
import { drawNormal, drawPoisson } from './compared-devices.ts'

interface HourlyModel {
  kind: 'Level' | 'Count'
  /** The mean of an hour. */
  level: number
  /** The spread of the devices' own levels, as that of a logarithm. */
  devices: number
  /** The spread from hour to hour, and how much of it stays in the next hour. */
  hours: number
  stays: number
  /** How far the level swings with the clock. */
  swing: number
  /** What makes it worse takes a part of it. */
  isLower?: boolean
}

/** By the names of signals. */
export const HOURLY_MODELS: Readonly<Record<string, HourlyModel>> = {
  memory: { kind: 'Level', level: 100, devices: 0.4, hours: 0.1, stays: 0.9, swing: 0.1 },
  'battery draw': { kind: 'Level', level: 10, devices: 0.5, hours: 0.4, stays: 0.6, swing: 0.5 },
  ConnectionTime: {
    kind: 'Level',
    level: 0.97,
    devices: 0.03,
    hours: 0.05,
    stays: 0.5,
    swing: 0,
    isLower: true,
  },
  LogErrors: { kind: 'Count', level: 60 / 24, devices: 0.8, hours: 0.4, stays: 0.8, swing: 0.5 },
  Restarts: { kind: 'Count', level: 0.5 / 24, devices: 0.5, hours: 0.4, stays: 0.9, swing: 0 },
  Crashes: { kind: 'Count', level: 0.02 / 24, devices: 1, hours: 0.4, stays: 0.9, swing: 0 },
}

interface DrawnHours {
  random: () => number
  length: number
  /** What the update does from that hour on. */
  change: { factor: number; from: number }
}

/** An hour depends on the one before it (a first-order autoregression of the logarithm). Each device has its own hour of the peak. */
export function drawHours(
  { kind, level, devices, hours, stays, swing, isLower = false }: HourlyModel,
  { random, length, change }: DrawnHours,
): Float64Array {
  const own = level * Math.exp(devices * drawNormal(random) - devices ** 2 / 2)
  const peak = random() * 24
  const factor = isLower ? 2 - change.factor : change.factor
  let noise = hours * drawNormal(random)
  return Float64Array.from({ length }, (_, hour) => {
    noise = stays * noise + hours * Math.sqrt(1 - stays ** 2) * drawNormal(random)
    const clock = 1 + swing * Math.cos(((hour - peak) / 24) * 2 * Math.PI)
    const mean = own * clock * Math.exp(noise) * (hour >= change.from ? factor : 1)
    if (kind === 'Count') return drawPoisson(random, mean)
    return isLower ? Math.min(1, mean) : mean
  })
}

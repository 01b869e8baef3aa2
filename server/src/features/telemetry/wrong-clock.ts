import { unpackPoints } from '../../formats/metric-points/packed-points.ts'
import type { NewestPoints } from './store.ts'

export interface WrongClock {
  /** Milliseconds since 1970. */
  deviceTime: number
  receivedAt: number
}

/** What the device's clock said of its newest point, if that was not believed. */
export function detectWrongClock(series: readonly NewestPoints[]): WrongClock | undefined {
  let newest: { time: number; deviceTime: number | undefined } | undefined
  for (const one of series.flatMap(readNewest)) if (!newest || one.time > newest.time) newest = one
  if (newest?.deviceTime === undefined) return undefined
  return { deviceTime: newest.deviceTime, receivedAt: newest.time }
}

function readNewest({ time, deviceTime, hour, points }: NewestPoints) {
  const single = time ? [{ time: time.getTime(), deviceTime: deviceTime?.getTime() }] : []
  if (!hour || !points) return single
  const { times, deviceTimes } = unpackPoints(points, hour.getTime())
  const last = times.length - 1
  return [...single, { time: times[last] ?? -Infinity, deviceTime: deviceTimes.get(last) }]
}

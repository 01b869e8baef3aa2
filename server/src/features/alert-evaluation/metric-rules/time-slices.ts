/**
 * The windows of many rules overlap. Their time is cut into slices wherever a window begins or ends. Points are added up once
 * for each slice, and a window is the sum of its slices.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../formats/instants.ts'

export interface TimeSpan {
  /** Milliseconds since 1970; half-open. */
  from: number
  to: number
}

export interface TimeSlices {
  /** The beginnings of the slices, in order, and the end of the last. */
  bounds: number[]
  /** Which slices, counted from 1, each span consists of; spans are counted from 0. */
  slicesOfSpan: number[][]
}

export function cutIntoSlices(spans: readonly TimeSpan[]): TimeSlices {
  const bounds = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b)
  const slicesOfSpan = spans.map(({ from, to }) =>
    bounds.flatMap((bound, at) => (bound >= from && bound < to ? [at + 1] : [])),
  )
  return { bounds, slicesOfSpan }
}

const CLASSES_MS = [15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS]

/** Windows of one class are read together: a long window among short ones would cut and read much more than they need. */
export function classifyLength(milliseconds: number): number {
  return CLASSES_MS.findIndex((most) => milliseconds <= most)
}

/** Places on the axes of a chart. `d3-scale` would bring colours and formats along, which take twice the room of all else here. */
import { nice, ticks } from 'd3-array'
import { timeTicks } from 'd3-time'

export interface TimeScale {
  /** Pixels from the left. */
  placeOf: (at: Date) => number
  timeAt: (place: number) => Date
  ticks: (count: number) => Date[]
  right: number
}

/** Turns times into pixels, from the times of both ends. */
export function timeScale([from, to]: [Date, Date], [left, right]: [number, number]): TimeScale {
  const start = from.getTime()
  const perPixel = (to.getTime() - start) / (right - left)
  return {
    placeOf: (at) => left + (at.getTime() - start) / perPixel,
    timeAt: (place) => new Date(start + (place - left) * perPixel),
    ticks: (count) => timeTicks(from, to, count),
    right,
  }
}

/** Half of the name of a day. */
const HALF_LABEL = 24

/** Names stand in the middle below their place, but for one that would reach over the edge. */
export function chooseAnchor(place: number, right: number): 'middle' | 'end' {
  return place > right - HALF_LABEL ? 'end' : 'middle'
}

export interface CountScale {
  /** Pixels from the top. */
  placeOf: (count: number) => number
  ticks: number[]
}

/** A scale from 0 to a round number that is at least `most`; its `ticks` are whole numbers. */
export function countScale(most: number, [bottom, top]: [number, number]): CountScale {
  const [, end] = nice(0, Math.max(1, most), 4)
  return {
    placeOf: (count) => bottom - ((bottom - top) * count) / end,
    ticks: ticks(0, end, 4).filter(Number.isInteger),
  }
}

/** Where stops and labels of a line of versions stand. */
import type { FleetVersionLine } from '@plimsoll/api-client'

/** Stops get more room where ours stand: their labels are longer. */
const ROOM_OF_OURS = 0.7

/** Places in pixels, in the order of the stops. */
export function placeStops(
  { stops, firmwares }: Pick<FleetVersionLine, 'stops' | 'firmwares'>,
  [from, to]: readonly [number, number],
): number[] {
  const ours = new Set(firmwares.flatMap(({ places }) => places.map(({ stop }) => stop)))
  const roomAt = (stop: number) => (ours.has(stop) ? ROOM_OF_OURS : 0)
  let sum = 0
  const sums = stops.map((_, stop) => {
    if (stop > 0) sum += 1 + roomAt(stop) + roomAt(stop - 1)
    return sum
  })
  if (sum === 0) return stops.map(() => (from + to) / 2)
  return sums.map((at) => from + ((to - from) * at) / sum)
}

export interface Label {
  at: number
  text: string
  /** The heavier ones stay where there is no room for all. */
  weight?: number
}

const CHARACTER = 6.7
const GAP = 8

/** Those that fit without overlapping: the heavy ones first, of equal ones the outer ones before the inner. */
export function chooseLabels(
  labels: readonly Label[],
  [from, to]: readonly [number, number],
): ReadonlySet<number> {
  const middle = (labels.length - 1) / 2
  const order = labels
    .map((label, index) => ({ ...label, index, weight: label.weight ?? 0 }))
    .toSorted(
      (a, b) => b.weight - a.weight || Math.abs(b.index - middle) - Math.abs(a.index - middle),
    )
  const taken: { index: number; left: number; right: number }[] = []
  for (const { at, text, index } of order) {
    const half = (text.length * CHARACTER) / 2
    const [left, right] = [at - half, at + half]
    const fits = taken.every((one) => right + GAP < one.left || left > one.right + GAP)
    if (fits && left >= from - GAP && right <= to + GAP) taken.push({ index, left, right })
  }
  return new Set(taken.map(({ index }) => index))
}

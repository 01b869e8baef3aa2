/** The sequences of a run that were seen. They take few numbers as long as sequences arrive roughly in order. */

/** First and last of each unbroken range: ascending, with gaps between them. */
export type Ranges = number[]

/** Beyond this number the lowest gap is closed: a sequence in it counts as seen, though it may arrive later. */
const MOST_RANGES = 32

/** Adds the sequence; false: it was there already. */
export function addSequence(ranges: Ranges, sequence: number): boolean {
  let at = ranges.length
  while (at > 0 && (ranges[at - 2] ?? 0) > sequence) at -= 2
  // `at` is behind the last range that begins at or before the sequence.
  const last = ranges[at - 1] ?? -Infinity
  if (sequence <= last) return false
  const joinsBefore = last === sequence - 1
  const joinsAfter = ranges[at] === sequence + 1
  if (joinsBefore && joinsAfter) ranges.splice(at - 1, 2)
  else if (joinsBefore) ranges[at - 1] = sequence
  else if (joinsAfter) ranges[at] = sequence
  else ranges.splice(at, 0, sequence, sequence)
  if (ranges.length > 2 * MOST_RANGES) ranges.splice(1, 2)
  return true
}

/** Stores small numbers: of each range the gap before it and its length less 1. */
export function packRanges(ranges: Readonly<Ranges>): number[] {
  return ranges.map((edge, at) => {
    const before = ranges[at - 1] ?? -1
    return at % 2 === 0 ? edge - before - 1 : edge - before
  })
}

export function unpackRanges(packed: readonly number[]): Ranges {
  let edge = -1
  return packed.map((step, at) => (edge += at % 2 === 0 ? step + 1 : step))
}

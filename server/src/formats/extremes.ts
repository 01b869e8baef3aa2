/** The largest and the smallest of numbers, however many: `Math.max(...numbers)` overflows the stack from about 120,000 on. */

/** `atLeast`: also the answer where there is none. */
export function findMax(numbers: Iterable<number>, atLeast = -Infinity): number {
  let largest = atLeast
  for (const number of numbers) largest = Math.max(largest, number)
  return largest
}

/** Answers `atMost` where there are no numbers. */
export function findMin(numbers: Iterable<number>, atMost = Infinity): number {
  let smallest = atMost
  for (const number of numbers) smallest = Math.min(smallest, number)
  return smallest
}

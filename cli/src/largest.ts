/** Finds the largest of any number of numbers: `Math.max(...numbers)` overflows the stack from about 120,000 on. `atLeast` is the answer where there is none. */
export function findMax(numbers: Iterable<number>, atLeast = -Infinity): number {
  let largest = atLeast
  for (const number of numbers) largest = Math.max(largest, number)
  return largest
}

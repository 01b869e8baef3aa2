/** However many: `Math.max(...numbers)` overflows the stack from about 120,000 on. `atLeast`: also where there is none. */
export function findMax(numbers: Iterable<number>, atLeast = -Infinity): number {
  let largest = atLeast
  for (const number of numbers) largest = Math.max(largest, number)
  return largest
}

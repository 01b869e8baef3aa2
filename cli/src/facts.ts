/** Prints one object, one line per member. */
import { printLine } from './print.ts'
import { printable } from './printable.ts'
import { largestOf } from './largest.ts'

export type Fact = readonly [name: string, value: string | number | null | undefined]

export function printFacts(facts: readonly Fact[]): void {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = largestOf(known.map(([name]) => name.length))
  for (const [name, value] of known)
    printLine(`${`${name}:`.padEnd(width + 1)}  ${printable(String(value))}`)
}

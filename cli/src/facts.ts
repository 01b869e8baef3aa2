/** Prints one object, one line per member. */
import { printLine } from './print.ts'
import { sanitise } from './printable.ts'
import { findMax } from './largest.ts'

export type Fact = readonly [name: string, value: string | number | null | undefined]

export function printFacts(facts: readonly Fact[]): void {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = findMax(known.map(([name]) => name.length))
  for (const [name, value] of known)
    printLine(`${`${name}:`.padEnd(width + 1)}  ${sanitise(String(value))}`)
}

/** Since it was due first. */
export const GIVE_UP_MS = 3 * 86_400_000

const FIRST_MS = 30_000
const LONGEST_MS = 3_600_000
/** So that what failed together does not come back together. */
const SPREAD = 0.1

/** How long the next attempt waits: twice as long after each, up to an hour. `chance` is from 0 to 1. */
export function backOffMs(attempts: number, chance: number): number {
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempts - 1))
  return Math.round(wait * (1 + SPREAD * (2 * chance - 1)))
}

/** Processes that go on more slowly, so that those that answer requests go first where processors are few. */
import { getPriority, setPriority } from 'node:os'

/** A third of the share of the service where both want a processor. */
export const GIVING_WAY = 5
/** A tenth: parsing one takes a processor for many seconds, and nobody waits for a lock of the parser's. */
export const LARGE_DOCUMENTS = 10

/** The niceness of the lowest priority (setpriority(2)). */
const LOWEST = 19

/** `niceness` is added to that of this process. Only if the system lets it: going on as fast as the service is no fault. */
export function lowerPriority(pid: number | undefined, niceness: number): void {
  if (pid === undefined) return
  try {
    setPriority(pid, Math.min(LOWEST, getPriority() + niceness))
  } catch {
    // It ended at once, belongs to another user, or the system has no priorities.
  }
}

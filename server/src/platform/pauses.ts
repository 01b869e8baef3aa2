/** Long calculations give way: one that takes a second would hold up every answer of the process as long. */
import { setImmediate as otherWork } from 'node:timers/promises'

const MOST_MS = 10

/** To be called in each round of a loop; what it answers, if anything, has to be awaited. */
export type Pause = () => Promise<void> | undefined

export function startPauses(): Pause {
  let since = performance.now()
  return () => {
    if (performance.now() - since < MOST_MS) return undefined
    return otherWork().then(() => {
      since = performance.now()
    })
  }
}

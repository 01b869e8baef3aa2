/** Long calculations give way: one that takes a second would hold up every answer of the process as long. */
import { setImmediate as otherWork, setTimeout as delay } from 'node:timers/promises'

const MOST_MS = 10

/** Does a part of work that has no hurry, and then rests as long: the processor and the database are half the time for others. */
export async function runHalfTheTime<Given, Result>(
  doPart: (given: Given) => Promise<Result>,
  given: Given,
): Promise<Result> {
  const since = performance.now()
  const result = await doPart(given)
  await delay(performance.now() - since)
  return result
}

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

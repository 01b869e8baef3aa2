import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { runHalfTheTime } from './pauses.ts'

it('rests as long as the part took', async () => {
  const since = performance.now()
  let tookMs = 0
  const answer = await runHalfTheTime(async (given: number) => {
    await delay(60)
    tookMs = performance.now() - since
    return given + 1
  }, 1)

  expect(answer).toBe(2)
  // A timer may end a millisecond early.
  expect(performance.now() - since).toBeGreaterThanOrEqual(2 * tookMs - 2)
})

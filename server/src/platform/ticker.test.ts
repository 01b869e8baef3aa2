import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startTicker } from './ticker.ts'

const EVERY_MS = 1_000
const log = pino({ level: 'silent' })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Work whose runs end when they are told to. */
function givenWork() {
  const runs: PromiseWithResolvers<void>[] = []
  const work = () => {
    const run = Promise.withResolvers<void>()
    runs.push(run)
    return run.promise
  }
  return { runs, work }
}

it('leaves out ticks while a run is under way', async () => {
  const { runs, work } = givenWork()
  const ticker = startTicker({ everyMs: EVERY_MS, work, log, failure: 'failed' })

  await vi.advanceTimersByTimeAsync(3 * EVERY_MS)
  const during = runs.length
  runs[0]?.resolve()
  await vi.advanceTimersByTimeAsync(EVERY_MS)

  expect([during, runs.length]).toEqual([1, 2])
  runs[1]?.resolve()
  await ticker.stop()
})

it('runs again after a failure, which is logged', async () => {
  const logged = vi.spyOn(log, 'warn')
  let runs = 0
  const work = () => {
    runs += 1
    return Promise.reject(new Error('away'))
  }
  const ticker = startTicker({ everyMs: EVERY_MS, work, log, failure: 'looking failed' })

  await vi.advanceTimersByTimeAsync(2 * EVERY_MS)
  await ticker.stop()

  expect(runs).toBe(2)
  expect(logged).toHaveBeenCalledWith({ err: new Error('away') }, 'looking failed')
})

it('runs once more when asked to during a run', async () => {
  const { runs, work } = givenWork()
  const ticker = startTicker({ everyMs: EVERY_MS, work, log, failure: 'failed' })

  ticker.runNow()
  ticker.runNow()
  ticker.runNow()
  runs[0]?.resolve()
  await vi.advanceTimersByTimeAsync(0)
  runs[1]?.resolve()
  await vi.advanceTimersByTimeAsync(0)

  expect(runs.length).toBe(2)
  await ticker.stop()
})

it('runs at once when asked to, and no more once it is stopped', async () => {
  const { runs, work } = givenWork()
  const ticker = startTicker({ everyMs: EVERY_MS, work, log, failure: 'failed' })

  ticker.runNow()
  let isStopped = false
  const stopped = ticker.stop().then(() => (isStopped = true))
  await vi.advanceTimersByTimeAsync(5 * EVERY_MS)
  const before = isStopped
  runs[0]?.resolve()
  await stopped
  ticker.runNow()

  expect([before, runs.length]).toEqual([false, 1])
})

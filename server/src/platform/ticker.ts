/** Work that is repeated for as long as the service runs. */
import type { Logger } from 'pino'

export interface TickerOptions {
  everyMs: number
  work: () => Promise<unknown>
  log: Logger
  /** The log message when the work fails. The next run tries again. */
  failure: string
}

export interface Ticker {
  /** Runs the work at once, or once more after the run that is under way. Does nothing once the ticker is stopped. */
  runNow: () => void
  /** Ends the repetition. Resolves when the run that is under way has ended. */
  stop: () => Promise<void>
}

/** Repeats the work, one run at a time: a tick during a run is left out. The first run comes after `everyMs`. */
export function startTicker({ everyMs, work, log, failure }: TickerOptions): Ticker {
  let running: Promise<void> | undefined
  let isAskedAgain = false
  let isStopped = false

  async function run(): Promise<void> {
    try {
      await work()
    } catch (error) {
      log.warn({ err: error }, failure)
    }
  }
  const begin = () => {
    if (isStopped) return
    isAskedAgain = false
    running = run().finally(() => {
      running = undefined
      if (isAskedAgain) begin()
    })
  }
  const timer = setInterval(() => {
    if (!running) begin()
  }, everyMs)
  const runNow = () => {
    if (running) isAskedAgain = true
    else begin()
  }
  return {
    runNow,
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}

/**
 * Watches for code that does not come back: a reader that loops for ever stops the event loop, and with it every timer of the
 * test. A thread of its own names the cases that were under way, and ends the process.
 */
import { Worker } from 'node:worker_threads'

export interface Watchdog {
  /** To be called with each case before it is tried. `what` names its door and seed. */
  begin: (what: string, one: unknown) => () => void
  end: () => Promise<number>
}

const BEAT_MS = 500

/** `mostMs`: so long may the event loop stand still. */
export function startWatchdog(mostMs: number): Watchdog {
  const lastBeat = new BigInt64Array(new SharedArrayBuffer(8))
  const beat = () => Atomics.store(lastBeat, 0, BigInt(Date.now()))
  beat()
  const thread = new Worker(new URL('watchdog-thread.ts', import.meta.url), {
    workerData: { lastBeat, mostMs },
    // Those of a test process are not for a thread.
    execArgv: [],
  })
  thread.unref()
  const beating = setInterval(beat, BEAT_MS)
  beating.unref()
  let count = 0
  return {
    begin: (what, one) => {
      const number = (count += 1)
      thread.postMessage({ number, text: `${what}: ${JSON.stringify(one)}` }, [])
      return () => thread.postMessage({ number }, [])
    },
    end: () => {
      clearInterval(beating)
      return thread.terminate()
    },
  }
}

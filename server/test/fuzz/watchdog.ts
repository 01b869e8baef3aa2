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
/** More than doors try at once. */
const PLACES = 64
/** What does not fit of a case is left out: its door and seed make it again. */
const PLACE_BYTES = 64 * 1024
/** Of the length of the text, before it. 0: the place is free. */
const LENGTH_BYTES = 4

/** `mostMs`: so long may the event loop stand still. */
export function startWatchdog(mostMs: number): Watchdog {
  const lastBeat = new BigInt64Array(new SharedArrayBuffer(8))
  const beat = () => Atomics.store(lastBeat, 0, BigInt(Date.now()))
  beat()
  // Messages would wake the thread twice for each case.
  const shared = new SharedArrayBuffer(PLACES * PLACE_BYTES)
  const places = Array.from({ length: PLACES }, (_, place) =>
    Buffer.from(shared, place * PLACE_BYTES, PLACE_BYTES),
  )
  const thread = new Worker(new URL('watchdog-thread.ts', import.meta.url), {
    workerData: { lastBeat, mostMs, shared, placeBytes: PLACE_BYTES, lengthBytes: LENGTH_BYTES },
    // Those of a test process are not for a thread.
    execArgv: [],
  })
  thread.unref()
  const beating = setInterval(beat, BEAT_MS)
  beating.unref()
  return {
    begin: (what, one) => {
      const place = places.pop()
      if (!place) throw new Error('more cases at once than the watchdog has places')
      const length = place.write(`${what}: ${JSON.stringify(one)}`, LENGTH_BYTES)
      place.writeUInt32LE(length)
      return () => {
        place.writeUInt32LE(0)
        places.push(place)
      }
    },
    end: () => {
      clearInterval(beating)
      return thread.terminate()
    },
  }
}

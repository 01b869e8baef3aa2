/**
 * Keeps the memory of the process small during and after much work. V8 collects late on a machine with much memory: an
 * import leaves hundreds of megabytes of records that nobody refers to any more.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The process as a whole; its database is another process. */
const MOST_BYTES = 256 * 1024 * 1024
/** A collection that found less than this would find no more the next time. */
const LEAST_GARBAGE_BYTES = 48 * 1024 * 1024

/** Asking for the size of the process takes milliseconds on some machines. */
const LEAST_MS = 100

/** Then nothing refers to what the work has left, and connections have let go of their buffers. */
const LATER_MS = 10_000

type Collection = { type: 'major'; flavor?: 'last-resort' } | { type: 'minor' }
let collect: ((options?: Collection) => void) | undefined
let heapAfterLast = 0
let askedAt = 0
let later: NodeJS.Timeout | undefined

/** Call it after bulk work: collects now and, once more, a moment later; each blocks the process for some 50 ms. */
export function releaseMemory(): void {
  collectAll()
  clearTimeout(later)
  later = setTimeout(collectAll, LATER_MS).unref()
}

/** Gives all free pages back to the system. */
function collectAll(): void {
  collector()({ type: 'major', flavor: 'last-resort' })
  heapAfterLast = usedBytes()
}

function collector() {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as NonNullable<typeof collect>
  }
  return collect
}

/** Above, the process is larger than any work needs that lasts. */
const LARGE_BYTES = 224 * 1024 * 1024
/** Above, a process at work collects too, without giving all pages back: a third of the time. */
const HUGE_BYTES = 320 * 1024 * 1024
const WATCHED_EVERY_MS = 10_000
/** The share of a processor that an idle process stays below: nobody waits for the collection then. */
const IDLE_SHARE = 0.1
/** After a collection that gave little back, as long as the process is at work. */
const FRUITLESS_MS = 60_000
const LITTLE_BYTES = 16 * 1024 * 1024

/**
 * Makes the process small after any load: V8 keeps the garbage of a flood of requests for as long as nothing else happens.
 * While requests come, V8 collects beside them; collecting all takes some 150 ms, for which all of them would wait. The
 * result ends it.
 */
export function watchMemory(): () => void {
  let notBefore = 0
  // The utilisation of the event loop would not tell: it counts the time for which others have the processor.
  let before = process.cpuUsage()
  let lookedAt = performance.now()
  const look = () => {
    const { user, system } = process.cpuUsage(before)
    const isIdle = (user + system) / 1_000 < IDLE_SHARE * (performance.now() - lookedAt)
    before = process.cpuUsage()
    lookedAt = performance.now()
    const size = process.memoryUsage.rss()
    if (!isIdle && size >= HUGE_BYTES) collectMuch()
    if (!isIdle || size < LARGE_BYTES || performance.now() < notBefore) return
    collectAll()
    const isFruitless = size - process.memoryUsage.rss() < LITTLE_BYTES
    notBefore = performance.now() + (isFruitless ? FRUITLESS_MS : 0)
  }
  const timer = setInterval(look, WATCHED_EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** In one round, if there probably is much garbage. */
function collectMuch(): void {
  if (usedBytes() - heapAfterLast < LEAST_GARBAGE_BYTES) return
  collector()({ type: 'major' })
  heapAfterLast = usedBytes()
}

/** Call it now and then during bulk work: collects if the process has become large and has probably much garbage. */
export function limitMemory(): void {
  const now = performance.now()
  if (now - askedAt < LEAST_MS) return
  askedAt = now
  if (process.memoryUsage.rss() < MOST_BYTES) return
  if (usedBytes() - heapAfterLast < LEAST_GARBAGE_BYTES) return
  collector()()
  heapAfterLast = usedBytes()
}

/**
 * Call it every few megabytes of large buffers that soon are garbage. V8 frees them together with young objects; while there are few
 * of those, it would mark the whole heap instead, for each few buffers.
 */
export function releaseBuffers(): void {
  collector()({ type: 'minor' })
}

/** The heap, and buffers outside of it. */
function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/**
 * Keeps the memory of the process small during and after bulk work. V8 collects late on a machine with much memory: an
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

let collect: (() => void) | undefined
let heapAfterLast = 0
let askedAt = 0

/** Collects now; blocks the process for some 50 ms. */
export function releaseMemory(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
  heapAfterLast = usedBytes()
}

/** Call it now and then during bulk work: collects if the process has become large and has probably much garbage. */
export function limitMemory(): void {
  const now = performance.now()
  if (now - askedAt < LEAST_MS) return
  askedAt = now
  if (process.memoryUsage.rss() < MOST_BYTES) return
  if (usedBytes() - heapAfterLast >= LEAST_GARBAGE_BYTES) releaseMemory()
}

/** The heap, and buffers outside of it. */
function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

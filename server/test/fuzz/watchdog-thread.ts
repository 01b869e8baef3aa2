/** The thread of watchdog.ts. */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

const { lastBeat, mostMs } = workerData as { lastBeat: BigInt64Array; mostMs: number }
/** What is under way. The event loop that stands still does not keep messages from arriving here. */
const cases = new Map<number, string>()
parentPort?.on('message', ({ number, text }: { number: number; text?: string }) => {
  if (text === undefined) cases.delete(number)
  else cases.set(number, text)
})

const STDERR = 2
const CHECKED_EVERY_MS = 100

setInterval(() => {
  const silentMs = Date.now() - Number(Atomics.load(lastBeat, 0))
  if (silentMs < mostMs) return
  const lines = [...cases.values()].toReversed()
  writeSync(
    STDERR,
    `The event loop stands still for ${Math.round(silentMs / 1000)} s. One of these cases keeps it, most likely the first:\n${lines.join('\n')}\n`,
  )
  process.kill(process.pid, 'SIGKILL')
}, CHECKED_EVERY_MS)

/** The thread of watchdog.ts. */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

const { lastBeat, mostMs, shared, placeBytes, lengthBytes } = workerData as {
  lastBeat: BigInt64Array
  mostMs: number
  /** Places of cases that are under way, each the length of its text and the text. */
  shared: SharedArrayBuffer
  placeBytes: number
  lengthBytes: number
}

function cases(): string[] {
  const places = Buffer.from(shared)
  const texts: string[] = []
  for (let at = 0; at < places.length; at += placeBytes) {
    const length = places.readUInt32LE(at)
    if (length > 0) texts.push(places.toString('utf8', at + lengthBytes, at + lengthBytes + length))
  }
  return texts
}

const STDERR = 2
const CHECKED_EVERY_MS = 100

setInterval(() => {
  const silentMs = Date.now() - Number(Atomics.load(lastBeat, 0))
  if (silentMs < mostMs) return
  writeSync(
    STDERR,
    `The event loop stands still for ${Math.round(silentMs / 1000)} s. One of these cases keeps it:\n${cases().join('\n')}\n`,
  )
  process.kill(process.pid, 'SIGKILL')
}, CHECKED_EVERY_MS)

/**
 * How many bytes a device is sent. Downloads are counted by bytes and not by requests: SWUpdate's delta handler and RAUC's
 * streaming make thousands of small ones for one update.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { AppError } from '../../platform/errors.ts'
import { TokenBuckets } from '../../platform/token-buckets.ts'

/** A request counts as so many bytes at least, as it costs something before its first byte. */
const LEAST_BYTES = 64 * 1024
/** A device that had too much is sent the next bytes later. Beyond this it is refused. */
const MOST_WAIT_MS = 10_000
const REMEMBERED = 100_000
const MEBIBYTE = 1024 * 1024

type TakeDownload = (key: string, reply: FastifyReply) => Promise<void>

/** 0: no limit. `key` names the device. The bytes that were really sent are counted when the answer ends. */
export function createDownloadRate(bytesPerMinute: number): TakeDownload {
  if (bytesPerMinute === 0) return () => Promise.resolve()
  const limit = { perMinute: bytesPerMinute, burst: bytesPerMinute }
  const buckets = new TokenBuckets(limit, REMEMBERED)
  return async (key, { raw }) => {
    const now = performance.now()
    const bucket = buckets.of(key, now)
    const waitMs = bucket.takeWithin(now, MOST_WAIT_MS, LEAST_BYTES)
    if (waitMs === undefined) throw tooMuch(bytesPerMinute)
    const before = readSent(raw)
    raw.once('close', () => {
      bucket.take(performance.now(), Math.max(0, readSent(raw) - before - LEAST_BYTES))
    })
    if (waitMs > 0) await delay(waitMs)
  }
}

/** Of the connection, so far. Requests on one connection are answered one after the other. */
function readSent({ req }: FastifyReply['raw']): number {
  // The connections of tests do not count.
  const { bytesWritten }: { bytesWritten?: number } = req.socket
  return bytesWritten ?? 0
}

function tooMuch(bytesPerMinute: number): AppError {
  const error = new AppError(
    'rateLimited',
    'rate-limited',
    `This device was sent more than ${Math.round(bytesPerMinute / MEBIBYTE)} MiB in a minute. Go on in ${MOST_WAIT_MS / 1000} s.`,
  )
  error.retryAfterSeconds = MOST_WAIT_MS / 1000
  return error
}

/**
 * How many bytes a device is sent. Downloads are counted by bytes and not by requests: SWUpdate's delta handler and RAUC's
 * streaming make thousands of small ones for one update.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../platform/errors.ts'
import { TokenBuckets } from '../../platform/token-buckets.ts'

/** A request counts as so many bytes besides its content: about those of its headers. */
const HEADER_BYTES = 1024
/** A device that had too much is sent the next bytes later. Beyond this it is refused. */
const MOST_WAIT_MS = 10_000
const REMEMBERED = 100_000
const MEBIBYTE = 1024 * 1024

/** Called with the bytes of the content as they are sent. */
export type CountBytes = (bytes: number) => void

/** 0: no limit. `key` names the device. What is counted while an answer is sent delays or refuses the next one. */
export function createDownloadRate(bytesPerMinute: number): (key: string) => Promise<CountBytes> {
  if (bytesPerMinute === 0) return () => Promise.resolve(() => undefined)
  const limit = { perMinute: bytesPerMinute, burst: bytesPerMinute }
  const buckets = new TokenBuckets(limit, REMEMBERED)
  return async (key) => {
    const now = performance.now()
    const bucket = buckets.of(key, now)
    const waitMs = bucket.takeWithin(now, MOST_WAIT_MS, HEADER_BYTES)
    if (waitMs === undefined) throw tooMuch(bytesPerMinute)
    if (waitMs > 0) await delay(waitMs)
    return (bytes) => void bucket.take(performance.now(), bytes)
  }
}

function tooMuch(bytesPerMinute: number): AppError {
  const error = new AppError(
    'rateLimited',
    'rate-limited',
    `This device was sent more than ${formatSize(bytesPerMinute)} in a minute. Go on in ${MOST_WAIT_MS / 1000} s.`,
  )
  error.retryAfterSeconds = MOST_WAIT_MS / 1000
  return error
}

const formatSize = (bytes: number) =>
  bytes < MEBIBYTE ? `${Math.round(bytes / 1024)} KiB` : `${Math.round(bytes / MEBIBYTE)} MiB`

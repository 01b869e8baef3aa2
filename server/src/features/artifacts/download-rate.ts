/**
 * How fast a device is sent files. Downloads are paced by bytes and not refused: SWUpdate's delta handler and RAUC's streaming make
 * thousands of small requests for one update. RAUC does not read Retry-After and ends the update after six refusals in five
 * seconds, SWUpdate after the first.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../platform/errors.ts'
import { TokenBuckets } from '../../platform/token-buckets.ts'

/** A request counts as so many bytes besides its content: about those of its headers. */
const HEADER_BYTES = 1024
/**
 * A request that would wait longer for its first byte is refused: the device has more answers under way than its rate serves.
 * Together with the wait for a look-up it is less than the 60 seconds after which proxies give up.
 */
const MOST_WAIT_MS = 20_000
const REMEMBERED = 100_000
const MEBIBYTE = 1024 * 1024
/** The bytes of an answer go out in pieces of a quarter of a second, so that no connection is silent for long. */
const PIECES_PER_MINUTE = 240
const LEAST_PIECE_BYTES = 4 * 1024
export const MOST_PIECE_BYTES = 64 * 1024

export interface DownloadPace {
  /** As many are sent at once. */
  pieceBytes: number
  /** Waits until the device may be sent so many bytes, which count from now on. Throws when the signal is aborted. */
  wait: (bytes: number, signal: AbortSignal) => Promise<void>
}

/** Content that waits for nothing. */
export const UNPACED: DownloadPace = {
  pieceBytes: MOST_PIECE_BYTES,
  wait: () => Promise.resolve(),
}

/** 0: no limit. `key` names the device. Answers of one device share its rate, those that begin now too. */
export function createDownloadRate(bytesPerMinute: number): (key: string) => Promise<DownloadPace> {
  if (bytesPerMinute === 0) return () => Promise.resolve(UNPACED)
  const limit = { perMinute: bytesPerMinute, burst: bytesPerMinute }
  const buckets = new TokenBuckets(limit, REMEMBERED)
  const part = Math.ceil(bytesPerMinute / PIECES_PER_MINUTE)
  const pieceBytes = Math.min(MOST_PIECE_BYTES, Math.max(LEAST_PIECE_BYTES, part))
  return async (key) => {
    const now = performance.now()
    const bucket = buckets.of(key, now)
    const waitMs = bucket.takeWithin(now, MOST_WAIT_MS, HEADER_BYTES)
    if (waitMs === undefined) throw tooManyAnswers(bytesPerMinute)
    if (waitMs > 0) await delay(waitMs)
    return {
      pieceBytes,
      wait: async (bytes, signal) => {
        const pieceMs = bucket.take(performance.now(), bytes)
        if (pieceMs > 0) await delay(pieceMs, undefined, { signal })
      },
    }
  }
}

function tooManyAnswers(bytesPerMinute: number): AppError {
  const seconds = MOST_WAIT_MS / 1000
  const error = new AppError(
    'rateLimited',
    'rate-limited',
    `This device is sent ${formatSize(bytesPerMinute)} a minute, and has so many downloads under way that the next one would wait for more than ${seconds} s. Ask for less at a time.`,
  )
  error.retryAfterSeconds = seconds / 2
  return error
}

const formatSize = (bytes: number) =>
  bytes < MEBIBYTE ? `${Math.round(bytes / 1024)} KiB` : `${Math.round(bytes / MEBIBYTE)} MiB`

/** So many a minute, and `burst` at once after a pause. */
export interface RateLimit {
  /** 0: no limit. */
  perMinute: number
  burst: number
}

export class TokenBucket {
  private readonly limit: RateLimit
  private tokens: number
  private at: number

  constructor(limit: RateLimit, now: number) {
    this.limit = limit
    this.tokens = limit.burst
    this.at = now
  }

  /** Takes a token. Answers the milliseconds until it is available. */
  take(now: number): number {
    const { perMinute, burst } = this.limit
    if (perMinute === 0) return 0
    const perMillisecond = perMinute / 60_000
    this.tokens = Math.min(burst, this.tokens + (now - this.at) * perMillisecond)
    this.at = now
    this.tokens -= 1
    return this.tokens >= 0 ? 0 : Math.ceil(-this.tokens / perMillisecond)
  }

  /** Takes a token if it is available in that time, and answers the milliseconds until then; undefined: it is not. */
  takeWithin(now: number, mostMs: number): number | undefined {
    const waitMs = this.take(now)
    if (waitMs <= mostMs) return waitMs
    this.tokens += 1
    return undefined
  }

  /** Takes a token if one is available. */
  tryTake(now: number): boolean {
    const isThere = this.take(now) === 0
    if (!isThere) this.tokens += 1
    return isThere
  }

  /** Whether a token is available, which stays there. */
  hasToken(now: number): boolean {
    const isThere = this.tryTake(now)
    if (isThere) this.tokens += 1
    return isThere
  }
}

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

  /** Takes tokens. Answers the milliseconds until they are available. */
  take(now: number, amount = 1): number {
    const { perMinute, burst } = this.limit
    if (perMinute === 0) return 0
    const perMillisecond = perMinute / 60_000
    this.tokens = Math.min(burst, this.tokens + (now - this.at) * perMillisecond)
    this.at = now
    this.tokens -= amount
    return this.tokens >= 0 ? 0 : Math.ceil(-this.tokens / perMillisecond)
  }

  /** Takes tokens if they are available in that time, and answers the milliseconds until then; undefined: they are not. */
  takeWithin(now: number, mostMs: number, amount = 1): number | undefined {
    const waitMs = this.take(now, amount)
    if (waitMs <= mostMs) return waitMs
    this.tokens += amount
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

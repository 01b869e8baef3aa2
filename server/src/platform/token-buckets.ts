import { type RateLimit, TokenBucket } from './token-bucket.ts'

const REMEMBERED = 10_000

/** A bucket for each key, such as an address. Of very many, the one that is unused for longest is forgotten. */
export class TokenBuckets {
  private readonly buckets = new Map<string, TokenBucket>()
  private readonly limit: RateLimit
  private readonly remembered: number

  constructor(limit: RateLimit, remembered = REMEMBERED) {
    this.limit = limit
    this.remembered = remembered
  }

  of(key: string, now: number): TokenBucket {
    const bucket = this.buckets.get(key) ?? new TokenBucket(this.limit, now)
    this.buckets.delete(key)
    this.buckets.set(key, bucket)
    const [oldest] = this.buckets.keys()
    if (this.buckets.size > this.remembered && oldest !== undefined) this.buckets.delete(oldest)
    return bucket
  }
}

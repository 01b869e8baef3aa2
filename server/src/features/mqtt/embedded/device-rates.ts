import { type RateLimit, TokenBucket } from '../../../platform/token-bucket.ts'
import type { DeviceName } from '../topics.ts'

const REMEMBERED = 100_000

/** The message rates of devices. They outlive a connection, so connecting again does not reset the rate. */
export class DeviceRates {
  /** The device that connected longest ago is first. */
  private readonly buckets = new Map<string, TokenBucket>()
  private readonly limit: RateLimit
  private readonly remembered: number

  constructor(limit: RateLimit, remembered = REMEMBERED) {
    this.limit = limit
    this.remembered = remembered
  }

  of({ workspaceId, deviceId }: DeviceName, now: number): TokenBucket {
    const name = `${workspaceId} ${deviceId}`
    const bucket = this.buckets.get(name) ?? new TokenBucket(this.limit, now)
    this.buckets.delete(name)
    this.buckets.set(name, bucket)
    const [oldest] = this.buckets.keys()
    if (this.buckets.size > this.remembered && oldest !== undefined) this.buckets.delete(oldest)
    return bucket
  }
}

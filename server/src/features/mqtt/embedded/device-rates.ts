import type { RateLimit, TokenBucket } from '../../../platform/token-bucket.ts'
import { TokenBuckets } from '../../../platform/token-buckets.ts'
import type { DeviceName } from '../topics.ts'

const REMEMBERED = 100_000

/** The message rates of devices. They outlive a connection, so connecting again does not reset the rate. */
export class DeviceRates {
  private readonly buckets: TokenBuckets

  constructor(limit: RateLimit, remembered = REMEMBERED) {
    this.buckets = new TokenBuckets(limit, remembered)
  }

  of({ workspaceId, deviceId }: DeviceName, now: number): TokenBucket {
    return this.buckets.of(`${workspaceId} ${deviceId}`, now)
  }
}

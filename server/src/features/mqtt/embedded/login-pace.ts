import { TokenBucket } from '../../../platform/token-bucket.ts'

/** Later, the client would have given up. */
const MOST_WAIT_MS = 10_000
/** Logins at once after a pause, in seconds of the pace. */
const BURST_SECONDS = 3
const REMEMBERED = 10_000

/** Limits the logins of each workspace, so that a fleet that connects over and over does not take the node from others. */
export class LoginPace {
  private readonly buckets = new Map<string, TokenBucket>()
  private readonly perSecond: number

  /** 0: no limit. */
  constructor(perSecond: number) {
    this.perSecond = perSecond
  }

  /** The milliseconds until it is the turn of the login; undefined: more than a client waits. */
  waitMs(workspaceId: string, now: number): number | undefined {
    if (this.perSecond === 0) return 0
    return this.bucketOf(workspaceId, now).takeWithin(now, MOST_WAIT_MS)
  }

  private bucketOf(workspaceId: string, now: number): TokenBucket {
    const known = this.buckets.get(workspaceId)
    if (known) return known
    // Names that clients state: forgetting them all gives each a new burst.
    if (this.buckets.size >= REMEMBERED) this.buckets.clear()
    const limit = { perMinute: this.perSecond * 60, burst: this.perSecond * BURST_SECONDS }
    const bucket = new TokenBucket(limit, now)
    this.buckets.set(workspaceId, bucket)
    return bucket
  }
}

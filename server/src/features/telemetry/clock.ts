import { DAY_MS, HOUR_MS } from '../../formats/instants.ts'

/** What PostgreSQL and every client can read. */
const FIRST = Date.UTC(1, 0, 1)
const LAST = Date.UTC(9999, 11, 31)

export interface PlacedTime {
  time: Date
  /** What the device's clock said, where that was not believed. */
  deviceTime: Date | null
}

/**
 * When something happened. A clock more than an hour ahead, or so late that its points were deleted at once, is not
 * believed: then it happened when it was received.
 */
export function placeTime(
  said: Date | undefined,
  { receivedAt, retentionDays }: { receivedAt: Date; retentionDays: number },
): PlacedTime {
  if (said === undefined) return { time: receivedAt, deviceTime: null }
  const lead = said.getTime() - receivedAt.getTime()
  if (lead <= HOUR_MS && lead > -retentionDays * DAY_MS) return { time: said, deviceTime: null }
  const shown = Math.min(Math.max(said.getTime(), FIRST), LAST)
  return { time: receivedAt, deviceTime: new Date(shown) }
}

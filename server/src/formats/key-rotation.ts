/** What holds of a request that a device shall fetch its next key, in words: nobody shall take silence for success. */

export const KEY_ROTATION_STATES = ['Asked', 'Told', 'Fetched', 'Done', 'Unable'] as const
type KeyRotationState = (typeof KEY_ROTATION_STATES)[number]

export interface KeyRotation {
  state: KeyRotationState
  askedAt: Date
  askedByEmail: string | null
  /** Asked for the age of its key, and not by somebody. */
  isScheduled: boolean
  toldAt: Date | null
  refusedAt: Date | null
  fetchedAt: Date | null
  doneAt: Date | null
  isHawkbit: boolean
}

export function describeRotation(rotation: KeyRotation): string {
  const { state, toldAt, fetchedAt, doneAt } = rotation
  switch (state) {
    case 'Asked':
      return 'The device was not told yet: it has not connected since it was asked.'
    case 'Told':
      return `The device was told at ${formatInstant(toldAt)}, and has not fetched its next key yet.`
    case 'Fetched':
      return `The device fetched its next key at ${formatInstant(fetchedAt)} and has not used it yet. Until then its present key goes on.`
    case 'Done':
      return `The device uses its new key since ${formatInstant(doneAt)}; the older ones have ended.`
    case 'Unable':
      return describeInability(rotation)
  }
}

function describeInability({ isHawkbit, refusedAt, toldAt }: KeyRotation): string {
  if (isHawkbit)
    return 'The device connects as a hawkBit client, and that protocol has no way to fetch a key. Replace its key by hand.'
  if (refusedAt)
    return `The device tried to fetch its next key at ${formatInstant(refusedAt)} with a key of all devices or a certificate; only a key of its own can be replaced so. Give it a key of its own by hand.`
  return `The device was told at ${formatInstant(toldAt)}, was in contact for more than an hour after that, and did not fetch its next key: its client does not seem to know how. Its present key goes on.`
}

const formatInstant = (at: Date | null): string => at?.toISOString() ?? 'an unknown time'

/** How a key of a device stands, and what holds of a request to replace it, in words: nobody shall take silence for success. */
import { formatCountOf } from './counts.ts'
import { DAY_MS } from './instants.ts'

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

export function describeRotation(rotation: KeyRotation & { lastSeenAt: Date | null }): string {
  const { state, toldAt, fetchedAt, doneAt } = rotation
  switch (state) {
    case 'Asked':
      return describeUntold(rotation)
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

type LastContact = Pick<KeyHolder, 'lastSeenAt'>

function describeUntold({ askedAt, lastSeenAt }: KeyRotation & LastContact): string {
  if (lastSeenAt === null) return 'The device was not told yet: it has never been in contact.'
  if (lastSeenAt > askedAt)
    return `The device was not told yet. It was in contact at ${formatInstant(lastSeenAt)}, and asked for nothing since.`
  return `The device was not told yet: it has not connected since it was asked, and was last in contact at ${formatInstant(lastSeenAt)}.`
}

function describeInability({ isHawkbit, refusedAt, toldAt }: KeyRotation): string {
  if (isHawkbit) return `${OF_HAWKBIT} Replace its key by hand.`
  if (refusedAt)
    return `The device tried to fetch its next key at ${formatInstant(refusedAt)} with a key of all devices or a certificate; only a key of its own can be replaced so. Give it a key of its own by hand.`
  return `The device was told at ${formatInstant(toldAt)}, was in contact for more than an hour after that, and did not fetch its next key: its client does not seem to know how. Its present key goes on.`
}

const OF_HAWKBIT =
  'The device connects as a hawkBit client, and that protocol has no way to fetch a key.'

interface KeyHolder {
  isHawkbit: boolean
  lastSeenAt: Date | null
  /** After how many days its keys are to be replaced; 0: only when somebody asks. */
  wantedDays: number
}

export interface AgedKey {
  createdAt: Date
  revokedAt: Date | null
  isNext: boolean
  isCertificate: boolean
  /** Otherwise it is a key of all devices. */
  isOwn: boolean
  /** undefined: no device of that id is registered. */
  holder: KeyHolder | undefined
  /** The request that is not done yet. */
  rotation: KeyRotation | undefined
}

export const countDays = (since: Date, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - since.getTime()) / DAY_MS))

/** Whether and when the key is replaced, and what stands in the way. */
export function describeReplacement(key: AgedKey, now: Date): string {
  const { revokedAt, isNext, isCertificate, isOwn, holder, rotation } = key
  if (revokedAt !== null) return `It ended at ${formatInstant(revokedAt)}.`
  if (isCertificate)
    return 'The authority that issued it issues the next one; nobody asks for it here.'
  if (!isOwn)
    return 'A key of all devices is replaced by hand: make another, put it on the devices, and revoke this one.'
  if (isNext)
    return 'The device fetched it and has not used it yet. Once it does, its older keys end.'
  if (!holder) return 'No device of this id is registered yet, so that nobody can be asked.'
  if (rotation) return describeRotation({ ...rotation, lastSeenAt: holder.lastSeenAt })
  if (holder.isHawkbit) return `${OF_HAWKBIT} It is not asked: replace its key by hand.`
  return describeWanted(countDays(key.createdAt, now), holder, now)
}

function describeWanted(days: number, { wantedDays, lastSeenAt }: KeyHolder, now: Date): string {
  if (wantedDays === 0) return 'Nobody asked the device to replace it.'
  const wanted = formatCountOf(wantedDays, 'day')
  if (days < wantedDays) return `The device is asked to replace it once it is ${wanted} old.`
  const over = `It is older than the ${wanted} that are wanted.`
  if (lastSeenAt === null) return `${over} The device is asked once it is in contact; it never was.`
  if (now.getTime() - lastSeenAt.getTime() >= DAY_MS)
    return `${over} The device is asked once it is in contact again; it was last at ${formatInstant(lastSeenAt)}.`
  return `${over} The device will be asked within a day, as its turn comes.`
}

const formatInstant = (at: Date | null): string => at?.toISOString() ?? 'an unknown time'

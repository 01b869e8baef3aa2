/**
 * Which devices fell silent. A release that kills devices leaves no values that are worse, so this is compared always: who began the
 * update against who waits, by how long ago each was heard of.
 */
import { SECOND_MS } from '../../formats/instants.ts'

export interface Contact {
  deviceId: string
  isUpdated: boolean
  /** When the device ran the update, else when it began it; null: it waits. */
  at: Date | null
  /** When it was heard of last: now, while it is connected. */
  heardAt: Date
}

interface HeardDevice {
  deviceId: string
  isSilent: boolean
}

export interface Silence {
  /** A device that was not heard of for so long is silent. */
  afterSeconds: number
  /** By id. */
  updated: HeardDevice[]
  waiting: HeardDevice[]
  /** Devices whose update is too recent to tell. */
  earlyCount: number
}

/** Of the window: a device that dies in its first half is silent at its end. */
const WINDOW_SHARE = 0.5
/** Three quarters of those that wait were heard of within this part of the time after which a device is silent. */
const QUARTILE = 0.75
const BEYOND_QUARTILE = 1.6

/**
 * Devices that report rarely are silent after a longer time: 1.2 times as long as between two reports, where all report in the same
 * rhythm. Those that wait count if they were there when the first update began, as the updated ones were.
 */
export function measureSilence(
  contacts: readonly Contact[],
  { now, windowSeconds }: { now: Date; windowSeconds: number },
): Silence {
  const windowMs = windowSeconds * SECOND_MS
  const begun = contacts.flatMap(({ at, ...rest }) => (at ? [{ ...rest, at: at.getTime() }] : []))
  const firstAt = begun.reduce((first, { at }) => Math.min(first, at), now.getTime())
  const there = contacts.filter(
    ({ isUpdated, heardAt }) => !isUpdated && heardAt.getTime() >= firstAt - windowMs,
  )
  const gapOf = ({ heardAt }: Pick<Contact, 'heardAt'>) => now.getTime() - heardAt.getTime()
  const gaps = there.map(gapOf).toSorted((one, other) => one - other)
  const usual = gaps[Math.ceil(QUARTILE * gaps.length) - 1] ?? 0
  const afterMs = Math.max(WINDOW_SHARE * windowMs, BEYOND_QUARTILE * usual)
  const told = begun.filter(({ at }) => now.getTime() - at >= afterMs)
  const judge = (devices: readonly Pick<Contact, 'deviceId' | 'heardAt'>[]) =>
    devices
      .map((device) => ({ deviceId: device.deviceId, isSilent: gapOf(device) >= afterMs }))
      .toSorted((one, other) => (one.deviceId < other.deviceId ? -1 : 1))
  return {
    afterSeconds: Math.round(afterMs / SECOND_MS),
    updated: judge(told),
    waiting: judge(there),
    earlyCount: begun.length - told.length,
  }
}

/** The state of an address, and how often its reader may be asked to confirm it. */
import { addDays, MINUTE_MS } from '../../../formats/instants.ts'

export const ADDRESS_STATES = ['Pending', 'Confirmed', 'Unsubscribed', 'Dead'] as const
export type AddressState = (typeof ADDRESS_STATES)[number]

export interface AddressFacts {
  confirmedAt: Date | null
  unsubscribedAt: Date | null
  deadAt: Date | null
}

/** Alerts are sent to confirmed addresses only. */
export function decideAddressState(facts: AddressFacts): AddressState {
  if (facts.unsubscribedAt) return 'Unsubscribed'
  if (facts.deadAt) return 'Dead'
  return facts.confirmedAt ? 'Confirmed' : 'Pending'
}

/** When, and how often, the reader of an address was asked to confirm it. */
export interface AskedFacts {
  askedAt: Date | null
  askedCount: number
}

export const ASK_AGAIN_MS = 10 * MINUTE_MS
export const MOST_ASKED = 5

/** Why the reader must not be asked now; undefined when the reader may be asked. */
export function explainNotAsking({ askedAt, askedCount }: AskedFacts, now: Date) {
  if (askedCount >= MOST_ASKED) return 'TooOften'
  const isRecent = askedAt !== null && now.getTime() - askedAt.getTime() < ASK_AGAIN_MS
  return isRecent ? 'TooSoon' : undefined
}

const FORGOTTEN_AFTER_DAYS = 30

/** An address without a target is kept if its reader was asked, or has unsubscribed, after this instant. */
export function computeForgetInstant(now: Date): Date {
  return addDays(now, -FORGOTTEN_AFTER_DAYS)
}

export const ADDRESS_STATES = ['Pending', 'Confirmed', 'Unsubscribed', 'Dead'] as const
export type AddressState = (typeof ADDRESS_STATES)[number]

export interface AddressFacts {
  confirmedAt: Date | null
  unsubscribedAt: Date | null
  deadAt: Date | null
}

/** Only a confirmed address is told of alerts. */
export function addressState(facts: AddressFacts): AddressState {
  if (facts.unsubscribedAt) return 'Unsubscribed'
  if (facts.deadAt) return 'Dead'
  return facts.confirmedAt ? 'Confirmed' : 'Pending'
}

export interface Asked {
  askedAt: Date | null
  askedCount: number
}

export const ASK_AGAIN_MS = 10 * 60_000
export const MOST_ASKED = 5

/** Why the reader of an address is not asked (again) whether it may be told; undefined: it may be asked. */
export function reasonNotToAsk({ askedAt, askedCount }: Asked, now: Date) {
  if (askedCount >= MOST_ASKED) return 'TooOften'
  const isRecent = askedAt !== null && now.getTime() - askedAt.getTime() < ASK_AGAIN_MS
  return isRecent ? 'TooSoon' : undefined
}

const FORGOTTEN_AFTER_MS = 30 * 86_400_000

/** How long it is remembered of an address nobody has any more that it was asked, or wants no mail. */
export function forgottenBefore(now: Date): Date {
  return new Date(now.getTime() - FORGOTTEN_AFTER_MS)
}

/** By which ends of support the components of a version can be chosen. */
import type { SupportState } from '@plimsoll/api-client'

export const SUPPORT_FILTERS = ['ended', 'soon', 'supported', 'unknown'] as const
export type SupportFilter = (typeof SUPPORT_FILTERS)[number]

/** As far ahead as the comparison of versions looks. */
const SOON_DAYS = 90
const DAY_MS = 86_400_000

export const SUPPORT_FILTER_WORDS: Record<SupportFilter, string> = {
  ended: 'Out of support',
  soon: `Ends within ${SOON_DAYS} days`,
  supported: 'Supported',
  unknown: 'Support not known',
}

interface AskedSupport {
  supportStates: SupportState[]
  supportEndsBefore?: string
}

/** What is not known is never among what is supported. */
export function describeAskedSupport(filter: SupportFilter, now = new Date()): AskedSupport {
  const before = new Date(now.getTime() + (SOON_DAYS + 1) * DAY_MS).toISOString().slice(0, 10)
  return {
    ended: { supportStates: ['Ended' as const] },
    soon: { supportStates: ['Ending' as const], supportEndsBefore: before },
    supported: { supportStates: ['Ending' as const, 'NoEndPlanned' as const] },
    unknown: { supportStates: ['NotKnown' as const] },
  }[filter]
}

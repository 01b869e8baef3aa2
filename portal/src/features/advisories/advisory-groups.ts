/** The groups that the list of advisories can show alone. Each advisory is in one of them. */
import type { SecurityAdvisorySummary } from '@plimsoll/api-client'
import { isWaiting } from '../../components/advisories/words.ts'
import type { AdvisoriesSearch } from '../../searches.ts'

export const GROUPS = [
  { id: 'draft', name: 'Drafts' },
  { id: 'waiting', name: 'Waiting' },
  { id: 'changed', name: 'Changed since' },
  { id: 'published', name: 'Published' },
  { id: 'withdrawn', name: 'Withdrawn' },
] as const
export type AdvisoryGroup = (typeof GROUPS)[number]['id']

const OF_STATES = {
  Draft: 'draft',
  Changed: 'changed',
  Published: 'published',
  Withdrawn: 'withdrawn',
} as const

export function findGroup(
  one: Pick<SecurityAdvisorySummary, 'state' | 'heldUntil'>,
  now = new Date(),
): AdvisoryGroup {
  return isWaiting(one, now) ? 'waiting' : OF_STATES[one.state]
}

export function isListed(one: SecurityAdvisorySummary, { show, q }: AdvisoriesSearch): boolean {
  if (show !== undefined && findGroup(one) !== show) return false
  if (q === undefined) return true
  const texts = [one.trackingId ?? '', one.title, ...one.vulnerabilityIds, ...one.productNames]
  return texts.some((text) => text.toLowerCase().includes(q.toLowerCase()))
}

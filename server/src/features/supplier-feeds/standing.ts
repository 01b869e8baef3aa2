/** How far what a supplier says is known: nobody may take silence for safety. */
import { formatCountOf } from '../../formats/counts.ts'
import { HOUR_MS } from '../../formats/instants.ts'
import { decideSourceState } from '../feeds/index.ts'

export interface FeedFacts {
  completedAt: Date | null
  checkedAt: Date | null
  error: string | null
  readCount: number
  refusedCount: number
  notFetchedCount: number
  /** Whether this service reads feeds. */
  isFetched: boolean
  staleHours: number
  now: Date
}

export function decideStanding(facts: FeedFacts) {
  const { completedAt, isFetched, staleHours, now } = facts
  const ageMs = completedAt && now.getTime() - completedAt.getTime()
  const ageSeconds = ageMs === null ? null : ageMs / 1_000
  const state = decideSourceState({ ageSeconds, isFetched, isOptional: true, staleHours })
  return { state, standing: describeStanding(facts, ageMs) }
}

function describeStanding(facts: FeedFacts, ageMs: number | null): string {
  const { isFetched, checkedAt, error } = facts
  const read =
    ageMs === null ? describeUnfinished(facts) : `Read to its end ${formatAge(ageMs)} ago`
  const off = isFetched ? '' : ' The operator has switched reading off, so nothing new arrives.'
  const failed = error === null || checkedAt === null ? '' : ' The last reading failed.'
  const stale = ageMs !== null && ageMs > facts.staleHours * HOUR_MS ? ' This is too long ago.' : ''
  return `${read}: ${describeDocuments(facts)}.${stale}${failed}${off}`
}

const describeUnfinished = ({ readCount }: FeedFacts) =>
  readCount === 0 ? 'Never read' : 'Not yet read to its end'

function describeDocuments({ readCount, refusedCount, notFetchedCount }: FeedFacts): string {
  if (readCount + refusedCount + notFetchedCount === 0)
    return 'nothing that the supplier says is known here'
  const refused = refusedCount > 0 ? [`${refusedCount} could not be used`] : []
  const missing = notFetchedCount > 0 ? [`${notFetchedCount} listed ones were not fetched`] : []
  return [formatCountOf(readCount, 'document'), ...refused, ...missing].join(', ')
}

function formatAge(ageMs: number): string {
  const hours = Math.floor(ageMs / HOUR_MS)
  if (hours === 0) return 'less than an hour'
  return hours < 48 ? formatCountOf(hours, 'hour') : formatCountOf(Math.floor(hours / 24), 'day')
}

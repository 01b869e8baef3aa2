/** What is said of a source everywhere: the table in docs/guide/feeds.md (How current are the sources?). */

export const SOURCE_STATES = ['Current', 'Stale', 'NeverRead', 'Off'] as const
export type SourceState = (typeof SOURCE_STATES)[number]

interface SourceFacts {
  /** Since it was last read completely; null: never. */
  ageSeconds: number | null
  /** Whether this service fetches it. */
  isFetched: boolean
  /** Whether answers are whole without it. */
  isOptional: boolean
  staleHours: number
}

export function decideSourceState(facts: SourceFacts): SourceState {
  const { ageSeconds, isFetched, isOptional, staleHours } = facts
  if (ageSeconds === null) return isOptional && !isFetched ? 'Off' : 'NeverRead'
  return ageSeconds > staleHours * 3_600 ? 'Stale' : 'Current'
}

/** An answer may lack what the source has published. */
export const isLacking = (state: SourceState) => state === 'Stale' || state === 'NeverRead'

export const STATE_WORDS: Record<SourceState, string> = {
  Current: 'current',
  Stale: 'stale',
  NeverRead: 'never read',
  Off: 'off',
}

import { isShrunk } from './feed-part.ts'

/** Whether a catalogue of known exploited vulnerabilities may replace the one that is known. */
export interface KevSnapshot {
  /** When it was released; undefined for loose entries, which are no catalogue and replace nothing. */
  feedAt: Date | undefined
  incoming: number
  stored: number
  /** When the known one was released. */
  snapshotAt: Date | undefined
}

export function isOutdated({
  feedAt,
  snapshotAt,
}: Pick<KevSnapshot, 'feedAt' | 'snapshotAt'>): boolean {
  return feedAt !== undefined && snapshotAt !== undefined && feedAt < snapshotAt
}

export function isImplausiblySmall({ feedAt, incoming, stored }: KevSnapshot): boolean {
  return feedAt !== undefined && isShrunk({ incoming, known: stored })
}

/** What an import counts of one source. */
import type { FeedSource } from '../../formats/feed-files.ts'

export interface SourceImport {
  source: FeedSource
  files: number
  /** All that were read; each is counted below as well, repeated and outdated ones as unchanged. */
  records: number
  added: number
  changed: number
  unchanged: number
  /** Withdrawn or rejected since the last import, or when first seen; of the KEV catalogue, gone from it. */
  withdrawn: number
  skipped: number
  skippedReasons: Record<string, number>
  /** Why nothing of the source was taken over, when nothing was. */
  error?: string
  /** What an operator should look at though all was taken over. */
  notice?: string
}

export interface Tally {
  source: FeedSource
  files: number
  records: number
  skipped: number
  reasons: Map<string, number>
  error: string | undefined
  notice: string | undefined
  /** Of a bundle: how old what it holds was where it was written. */
  asOf?: { lastSuccessAt: Date | undefined }
}

export function newTally(source: FeedSource): Tally {
  return {
    source,
    files: 0,
    records: 0,
    skipped: 0,
    reasons: new Map(),
    error: undefined,
    notice: undefined,
  }
}

const MAX_REASONS = 100
const MAX_REASON_LENGTH = 200

/** Reasons that differ only in the place they name are one. */
export function countSkipped(tally: Tally, reason: string): void {
  const general = reason
    .slice(0, MAX_REASON_LENGTH)
    .replaceAll(/\/\d+(?=\/|\s|$)/g, '/*')
    .replace(/has \d+ bytes, /, 'has ')
  const isListed = tally.reasons.has(general) || tally.reasons.size < MAX_REASONS
  const key = isListed ? general : 'other reasons'
  tally.skipped++
  tally.reasons.set(key, (tally.reasons.get(key) ?? 0) + 1)
}

/** Removals of a catalogue are no records of it; everything else that was read is in one of the counts. */
export function outcomeOf(
  tally: Tally,
  merged: { added: number; changed: number; withdrawn: number; removed?: number },
): SourceImport {
  const { source, files, records, skipped, error, notice } = tally
  const { added, changed, withdrawn, removed = 0 } = merged
  return {
    source,
    files,
    records,
    added,
    changed,
    unchanged: error === undefined ? records - skipped - added - changed - withdrawn : 0,
    withdrawn: withdrawn + removed,
    skipped,
    skippedReasons: skippedReasons(tally),
    ...(error !== undefined && { error }),
    ...(notice !== undefined && { notice }),
  }
}

/** The most frequent first. */
export function skippedReasons({ reasons }: Tally): Record<string, number> {
  return Object.fromEntries([...reasons].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}

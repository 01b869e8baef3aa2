/** What an import counts of one source. */
import type { FeedSource } from '../../formats/feed-files.ts'
import { cutText } from '../../formats/shorten.ts'

/** Where a record stands that was left out. */
interface SkippedRecord {
  file: string
  /** The place of the record in the file, from 1. */
  record: number
  /** The line, from 1, if the file has a record in each line. */
  line?: number
  id: string | null
  reason: string
}

export interface SourceImport {
  source: FeedSource
  files: number
  /** All records read. Each is also in one of the counts below; repeated and outdated ones count as unchanged. */
  records: number
  added: number
  changed: number
  unchanged: number
  /** Withdrawn or rejected since the last import, or when first seen. For KEV: entries removed from the catalogue. */
  withdrawn: number
  skipped: number
  skippedReasons: Record<string, number>
  /** The first ones. */
  skippedRecords: readonly SkippedRecord[]
  /** Why nothing of the source was imported. */
  error?: string
  /** What an operator should look at although the import succeeded. */
  notice?: string
}

/** What reading has counted so far. */
export interface ImportCounts {
  source: FeedSource
  files: number
  records: number
  skipped: number
  reasons: Map<string, number>
  skippedRecords: SkippedRecord[]
  error: string | undefined
  notice: string | undefined
  /** Ecosystems of which the files hold all records, as the source names them. */
  complete: Set<string>
  /** Set for a bundle: when the source was last complete on the machine that wrote it. */
  bundled?: { lastSuccessAt: Date | undefined }
}

export function createImportCounts(source: FeedSource): ImportCounts {
  return {
    source,
    files: 0,
    records: 0,
    skipped: 0,
    reasons: new Map(),
    skippedRecords: [],
    error: undefined,
    notice: undefined,
    complete: new Set(),
  }
}

const MAX_REASONS = 100
const MAX_REASON_LENGTH = 200

/** Reasons that differ only in array indexes or in a number of bytes count as one. */
export function countSkipped(counts: ImportCounts, reason: string): void {
  const general = cutText(reason, MAX_REASON_LENGTH)
    .replaceAll(/\/\d+(?=\/|\s|$)/g, '/*')
    .replace(/has \d+ bytes, /, 'has ')
  const isListed = counts.reasons.has(general) || counts.reasons.size < MAX_REASONS
  const key = isListed ? general : 'other reasons'
  counts.skipped++
  counts.reasons.set(key, (counts.reasons.get(key) ?? 0) + 1)
}

/** `removed` are entries that left a catalogue: they are not among the records read. */
export function summariseImport(
  counts: ImportCounts,
  merged: { added: number; changed: number; withdrawn: number; removed?: number },
): SourceImport {
  const { source, files, records, skipped, error, notice } = counts
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
    skippedReasons: sortSkipReasons(counts),
    skippedRecords: counts.skippedRecords,
    ...(error !== undefined && { error }),
    ...(notice !== undefined && { notice }),
  }
}

/** The most frequent first. */
export function sortSkipReasons({ reasons }: ImportCounts): Record<string, number> {
  return Object.fromEntries([...reasons].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}

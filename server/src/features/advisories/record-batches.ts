/** Makes the rows of the staging table from a batch of unparsed records. */
import { type FeedSource, parsedRecord } from '../../formats/feed-files.ts'
import { stagedRecord } from './staged-rows.ts'

export interface RecordBatch {
  source: FeedSource
  feedAt: string | undefined
  /** The texts of the records, one after another, and where each ends. */
  bytes: Uint8Array
  ends: readonly number[]
  ordinals: readonly number[]
}

export interface StagedBatch {
  /** In COPY's text format. */
  rows: Uint8Array
  skipped: { index: number; id: string | undefined; reason: string; isParsed: boolean }[]
}

export function stagedBatch({ source, feedAt, bytes, ends, ordinals }: RecordBatch): StagedBatch {
  const rows: string[] = []
  const skipped: StagedBatch['skipped'] = []
  let start = 0
  for (const [index, end] of ends.entries()) {
    const read = parsedRecord(bytes.subarray(start, end))
    start = end
    const staged =
      'fault' in read
        ? { reason: read.fault, id: undefined }
        : stagedRecord(source, read.record, { ordinal: ordinals[index] ?? 0, feedAt })
    if (staged === undefined) continue
    if ('row' in staged) rows.push(staged.row)
    else skipped.push({ index, id: staged.id, reason: staged.reason, isParsed: 'record' in read })
  }
  return { rows: Buffer.from(rows.join('')), skipped }
}

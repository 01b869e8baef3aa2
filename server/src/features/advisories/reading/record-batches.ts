/** Makes rows of a batch of unparsed records: of the staging table, or of the tables themselves. */
import type { AdvisorySource } from '../../../formats/advisories/model.ts'
import { parseRecord } from '../../../formats/feed-files.ts'
import {
  isOfOneCve,
  createNewRecord,
  type NewRecord,
  type NewRecords,
  joinNewRecords,
} from '../staging/new-records.ts'
import { parseAdvisory, stageAdvisory, hashRecordText } from '../staging/rows.ts'

export interface RecordBatch {
  source: AdvisorySource
  feedAt: string | undefined
  /** Set when nobody knows most of the records yet: the time at which they are written. */
  writtenAt: string | undefined
  /** The texts of the records, one after another, and where each ends. */
  bytes: Uint8Array
  ends: readonly number[]
  ordinals: readonly number[]
}

export interface StagedBatch {
  /** In COPY's text format. */
  rows: Uint8Array
  news: NewRecords
  skipped: { index: number; id: string | undefined; reason: string; isParsed: boolean }[]
}

export function stageBatch(batch: RecordBatch): StagedBatch {
  const rows: string[] = []
  const news: NewRecord[] = []
  const skipped: StagedBatch['skipped'] = []
  let start = 0
  for (const [index, end] of batch.ends.entries()) {
    const bytes = batch.bytes.subarray(start, end)
    const read = parseRecord(bytes)
    start = end
    const made =
      'fault' in read
        ? { reason: read.fault, id: undefined }
        : madeRecord(batch, read.record, { ordinal: batch.ordinals[index] ?? 0, bytes })
    if ('row' in made) rows.push(made.row)
    else if ('advisoryRow' in made) news.push(made)
    else skipped.push({ index, id: made.id, reason: made.reason, isParsed: 'record' in read })
  }
  return { rows: Buffer.from(rows.join('')), news: joinNewRecords(news), skipped }
}

function madeRecord(
  { source, feedAt, writtenAt }: RecordBatch,
  json: unknown,
  { ordinal, bytes }: { ordinal: number; bytes: Uint8Array },
) {
  const parsed = parseAdvisory(source, json)
  if (!parsed.ok) return parsed
  const place = { ordinal, feedAt, textHash: hashRecordText(bytes) }
  return writtenAt !== undefined && isOfOneCve(parsed.value)
    ? createNewRecord(parsed.value, { ...place, writtenAt })
    : stageAdvisory(parsed.value, place)
}

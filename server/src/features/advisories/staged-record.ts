/** A record of any source as the row that waits to be merged. */
import { parseCveRecord } from '../../formats/advisories/cve5.ts'
import { parseEpss } from '../../formats/advisories/epss.ts'
import { parseKevEntry } from '../../formats/advisories/kev.ts'
import type { ParsedRecord, SkippedRecord } from '../../formats/advisories/model.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { parseOsvRecord } from '../../formats/advisories/osv.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import { copyRow } from './copy-text.ts'
import { stagedAdvisoryRow } from './staged-advisory.ts'

export interface StagedRecord {
  table: 'staged_advisories' | 'staged_kev' | 'staged_epss'
  row: string
}

export interface RecordPlace {
  /** Later records have greater ones. */
  ordinal: number
  feedAt: string | undefined
}

/** Undefined for what is no record, such as the heading of a table. */
export function stagedRecord(
  source: FeedSource,
  json: unknown,
  place: RecordPlace,
): StagedRecord | SkippedRecord | undefined {
  if (source === 'kev') return stagedKev(json, place)
  if (source === 'epss') return stagedEpss(json, place)
  const parsed = PARSERS[source](json)
  if (!parsed.ok) return parsed
  return { table: 'staged_advisories', row: stagedAdvisoryRow(parsed.value, place) }
}

const PARSERS: Record<Exclude<FeedSource, 'kev' | 'epss'>, (json: unknown) => ParsedRecord> = {
  cvelist: parseCveRecord,
  nvd: parseNvdRecord,
  osv: parseOsvRecord,
}

function stagedKev(json: unknown, { ordinal, feedAt }: RecordPlace) {
  const parsed = parseKevEntry(json)
  if (!parsed.ok) return parsed
  const { cveId, dateAdded, dueDate, ...details } = parsed.value
  const row = copyRow([ordinal, cveId, dateAdded, dueDate, JSON.stringify(details), feedAt])
  return { table: 'staged_kev' as const, row }
}

function stagedEpss(json: unknown, { ordinal, feedAt }: RecordPlace) {
  const parsed = parseEpss(json)
  if (parsed === undefined) return undefined
  if (!parsed.ok) return parsed
  const { cveId, epss, percentile } = parsed.value
  return { table: 'staged_epss' as const, row: copyRow([ordinal, cveId, epss, percentile, feedAt]) }
}

/** Reads a bundle into the staging tables. It is merged only if it is complete and its checksum matches. */
import { formatCountOf } from '../../../formats/counts.ts'
import { createHash } from 'node:crypto'
import { DuplicateMember, parseUniqueJson } from '../../../formats/duplicate-members.ts'
import { type FeedSource, splitLines } from '../../../formats/feed-files.ts'
import { copyRow } from '../staging/copy-text.ts'
import type { OpenedFile } from '../reading/files-service.ts'
import { countSkipped, type ImportCounts } from '../import-counts.ts'
import { type RecordPlace, stageSupport, writeBundledAdvisory } from '../staging/rows.ts'
import type { StagedImport } from '../staging/service.ts'
import {
  BUNDLE_START,
  BUNDLE_VERSION,
  type BundleEnd,
  type BundleHeading,
  type BundleRecord,
  readBundleRecord,
  readEnd,
  readHeading,
} from './lines.ts'

export interface BundleReading {
  staged: StagedImport
  countsOf: (source: FeedSource) => Promise<ImportCounts>
  countRead: (counts: ImportCounts) => void
  nextOrdinal: () => number
  /** Reads the records of this source only. */
  source: FeedSource | undefined
}

export function isBundle(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, BUNDLE_START.length)).toString() === BUNDLE_START
}

export async function readBundle(reading: BundleReading, file: OpenedFile): Promise<void> {
  const counts = new Map<FeedSource, ImportCounts>()
  try {
    await readLines(reading, { file, counts })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    for (const own of counts.values()) own.error = `${file.name} is not a complete bundle: ${text}`
    // Not even the heading could be read, so that no source can show the error.
    if (counts.size === 0) throw error
  }
}

interface Bundle {
  file: OpenedFile
  counts: Map<FeedSource, ImportCounts>
}

class BrokenBundle extends Error {}

async function readLines(reading: BundleReading, { file, counts }: Bundle): Promise<void> {
  const hash = createHash('sha256')
  let heading: BundleHeading | undefined
  let end: BundleEnd | undefined
  let records = 0
  for await (const cut of splitLines(file.chunks)) {
    if (end) throw new BrokenBundle('more lines follow its end.')
    if ('oversized' in cut) throw new BrokenBundle(`a line has ${cut.oversized} bytes.`)
    const line = parseLine(cut.bytes)
    if (heading === undefined) {
      heading = await readSources(reading, line, counts)
    } else {
      end = readEnd(line)
      if (end === undefined) {
        records++
        await stageLine(reading, { heading, counts, line })
      }
    }
    if (end === undefined) hash.update(cut.bytes).update('\n')
  }
  if (!end) throw new BrokenBundle('it ends early.')
  if (end.records !== records)
    throw new BrokenBundle(
      `${formatCountOf(end.records - records, 'record is', 'records are')} missing.`,
    )
  if (end.sha256 !== hash.digest('hex')) throw new BrokenBundle('its checksum does not match.')
}

function parseLine(bytes: Uint8Array): unknown {
  try {
    return parseUniqueJson(bytes)
  } catch (error) {
    const isTwice = error instanceof DuplicateMember
    throw new BrokenBundle(isTwice ? 'a line names a member twice.' : 'a line is not valid JSON.')
  }
}

/** Reads the heading; the counts of each source take over how old its data is. */
async function readSources(
  { countsOf, source: wanted }: BundleReading,
  line: unknown,
  counts: Map<FeedSource, ImportCounts>,
): Promise<BundleHeading> {
  const heading = readHeading(line)
  if (!heading) throw new BrokenBundle('its heading cannot be read.')
  if (heading.plimsollFeedBundle !== BUNDLE_VERSION)
    throw new BrokenBundle(
      `it is of version ${heading.plimsollFeedBundle}; this release reads version ${BUNDLE_VERSION}.`,
    )
  for (const { source, lastSuccessAt, complete = [] } of heading.sources) {
    if (wanted !== undefined && source !== wanted) continue
    const own = await countsOf(source)
    own.files++
    for (const ecosystem of complete) own.complete.add(ecosystem)
    own.bundled = { lastSuccessAt: lastSuccessAt === null ? undefined : new Date(lastSuccessAt) }
    counts.set(source, own)
  }
  return heading
}

interface BundleLine {
  heading: BundleHeading
  counts: Map<FeedSource, ImportCounts>
  line: unknown
}

async function stageLine(
  reading: BundleReading,
  { heading, counts, line }: BundleLine,
): Promise<void> {
  const record = readBundleRecord(line)
  if (!record) {
    for (const own of counts.values()) countSkipped(own, 'not a record of a bundle')
    throw new BrokenBundle('a record cannot be read.')
  }
  const own = counts.get(record.source)
  if (!own) return
  reading.countRead(own)
  const snapshotAt = heading.sources.find(({ source }) => source === record.source)?.snapshotAt
  const { table, row: rows } = writeRow(record, { ordinal: reading.nextOrdinal(), snapshotAt })
  await reading.staged.add(record.source, { table, rows, count: 1 })
}

function stageBundledSupport(
  { source: _source, link, goneAt, ...product }: Extract<BundleRecord, { source: 'endoflife' }>,
  place: RecordPlace,
) {
  return stageSupport({ ...product, ...(link !== null && { link }) }, place, goneAt ?? undefined)
}

function writeRow(
  record: BundleRecord,
  { ordinal, snapshotAt }: { ordinal: number; snapshotAt: string | null | undefined },
) {
  if (record.source === 'kev') {
    const { cveId, dateAdded, dueDate, details } = record
    const fields = [ordinal, cveId, dateAdded, dueDate ?? undefined, JSON.stringify(details)]
    return { table: 'staged_kev' as const, row: copyRow([...fields, snapshotAt ?? undefined]) }
  }
  if (record.source === 'epss') {
    const { cveId, score, percentile } = record
    const fields = [ordinal, cveId, score, percentile ?? undefined, snapshotAt ?? undefined]
    return { table: 'staged_epss' as const, row: copyRow(fields) }
  }
  if (record.source === 'euvd') {
    const { cveId, euvdId, dateAdded } = record
    const row = copyRow([ordinal, cveId, euvdId ?? undefined, dateAdded])
    return { table: 'staged_euvd' as const, row }
  }
  if (record.source === 'endoflife')
    return stageBundledSupport(record, { ordinal, feedAt: snapshotAt ?? undefined })
  return { table: 'staged_advisories' as const, row: writeBundledAdvisory(record, ordinal) }
}

/** Reads a bundle into the staging tables. Nothing of it is merged unless it is whole and as it was written. */
import { createHash } from 'node:crypto'
import { linesOf } from '../../formats/feed-files.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import {
  BUNDLE_START,
  BUNDLE_VERSION,
  type BundleEnd,
  type BundleHeading,
  type BundleRecord,
  readBundleRecord,
  readEnd,
  readHeading,
} from './bundle-lines.ts'
import { copyRow } from './copy-text.ts'
import type { OpenedFile } from './feed-files-service.ts'
import { bundledAdvisoryRow } from './staged-advisory.ts'
import type { Staging } from './staging-store.ts'
import { countSkipped, type Tally } from './tally.ts'

export interface BundleReading {
  staging: Staging
  tallyOf: (source: FeedSource) => Promise<Tally>
  nextOrdinal: () => number
  /** Takes the records of this source alone. */
  source: FeedSource | undefined
}

export function isBundle(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, BUNDLE_START.length)).toString() === BUNDLE_START
}

export async function readBundle(reading: BundleReading, file: OpenedFile): Promise<void> {
  const tallies = new Map<FeedSource, Tally>()
  try {
    await readLines(reading, { file, tallies })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    for (const tally of tallies.values()) tally.error = `${file.name} is no whole bundle: ${text}`
    // Not even its heading can be read.
    if (tallies.size === 0) throw error
  }
}

interface Bundle {
  file: OpenedFile
  tallies: Map<FeedSource, Tally>
}

class BrokenBundle extends Error {}

async function readLines(reading: BundleReading, { file, tallies }: Bundle): Promise<void> {
  const hash = createHash('sha256')
  let heading: BundleHeading | undefined
  let end: BundleEnd | undefined
  let records = 0
  for await (const cut of linesOf(file.chunks)) {
    if (end) throw new BrokenBundle('something follows its end.')
    if ('oversized' in cut) throw new BrokenBundle(`a line has ${cut.oversized} bytes.`)
    const line = parsed(cut.bytes)
    if (heading === undefined) {
      heading = await begin(reading, line, tallies)
    } else {
      end = readEnd(line)
      if (end === undefined) {
        records++
        await stage(reading, { heading, tallies, line })
      }
    }
    if (end === undefined) hash.update(cut.bytes).update('\n')
  }
  if (!end) throw new BrokenBundle('it ends early.')
  if (end.records !== records)
    throw new BrokenBundle(`${end.records - records} records are missing.`)
  if (end.sha256 !== hash.digest('hex')) throw new BrokenBundle('its checksum is another.')
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    throw new BrokenBundle('a line is no JSON.')
  }
}

/** The attempt shows for every source, and how old what comes is. */
async function begin(
  { tallyOf, source: wanted }: BundleReading,
  line: unknown,
  tallies: Map<FeedSource, Tally>,
): Promise<BundleHeading> {
  const heading = readHeading(line)
  if (!heading) throw new BrokenBundle('its heading cannot be read.')
  if (heading.plimsollFeedBundle !== BUNDLE_VERSION)
    throw new BrokenBundle(
      `it is of version ${heading.plimsollFeedBundle}; this release reads version ${BUNDLE_VERSION}.`,
    )
  for (const { source, lastSuccessAt } of heading.sources) {
    if (wanted !== undefined && source !== wanted) continue
    const tally = await tallyOf(source)
    tally.files++
    tally.asOf = { lastSuccessAt: lastSuccessAt === null ? undefined : new Date(lastSuccessAt) }
    tallies.set(source, tally)
  }
  return heading
}

interface BundleLine {
  heading: BundleHeading
  tallies: Map<FeedSource, Tally>
  line: unknown
}

async function stage(
  reading: BundleReading,
  { heading, tallies, line }: BundleLine,
): Promise<void> {
  const record = readBundleRecord(line)
  if (!record) {
    for (const tally of tallies.values()) countSkipped(tally, 'not a record of a bundle')
    throw new BrokenBundle('a record cannot be read.')
  }
  const tally = tallies.get(record.source)
  if (!tally) return
  tally.records++
  const snapshotAt = heading.sources.find(({ source }) => source === record.source)?.snapshotAt
  const { table, row } = rowOf(record, { ordinal: reading.nextOrdinal(), snapshotAt })
  await reading.staging.add(table, row)
}

function rowOf(
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
  return { table: 'staged_advisories' as const, row: bundledAdvisoryRow(record, ordinal) }
}

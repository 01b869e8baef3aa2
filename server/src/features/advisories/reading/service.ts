/** Reads the files of an import, record by record, into the staging tables. */
import { resolve } from 'node:path'
import {
  type FeedFile,
  type FeedItem,
  type FeedSource,
  readRecords,
  TruncatedFeedFile,
  type UnparsedItem,
  cutUnparsedRecords,
  readUnparsedRecords,
} from '../../../formats/feed-files.ts'
import { findEcosystemName } from '../../../formats/ecosystems.ts'
import type { AppContext } from '../../../platform/context.ts'
import { isBundle, readBundle } from '../bundles/reading-service.ts'
import { type OpenedFile, openFiles } from './files-service.ts'
import { countSkipped, type ImportCounts, createImportCounts } from '../import-counts.ts'
import type { ImportProgress } from '../import-progress.ts'
import { recogniseFeedFile, readFeedTime } from './recognised-feed.ts'
import type { StagedBatch } from './record-batches.ts'
import { RecordParsing } from './parsing-service.ts'
import { stageRecord } from '../staging/rows.ts'
import { isOfAdvisories, type StagedImport } from '../staging/service.ts'
import * as store from '../store.ts'

export interface ReadFeeds {
  /** A file, or a folder: all files below it are read. */
  path: string
  /** Reads files of unknown shape as files of this source, and skips files of other sources. */
  source?: FeedSource
  /** The folder where archives inside archives are unpacked. */
  scratch?: string
  /** So many bytes are read before texts are compared with the known ones. */
  comparedAfter?: number
  /** The ecosystems whose records are all in the files; whoever starts the import says so. */
  complete?: readonly string[]
}

export interface SkippedFiles {
  /** The first of them. */
  named: { name: string; reason: string }[]
  count: number
}

const MAX_NAMED_FILES = 50

type Context = Pick<AppContext, 'db' | 'log' | 'now'>

interface ReadState {
  ctx: Context
  staged: StagedImport
  input: ReadFeeds
  counts: Map<FeedSource, ImportCounts>
  progress: ImportProgress
  ordinal: number
  parsing: RecordParsing<Place>
}

/** Fills `counts`, also when it fails. */
export async function readFeeds(
  ctx: Context,
  input: ReadFeeds,
  { staged, counts, progress }: Pick<ReadState, 'staged' | 'counts' | 'progress'>,
): Promise<SkippedFiles> {
  const { comparedAfter } = input
  const options = { db: ctx.db, staged, comparedAfter }
  const parsing = new RecordParsing<Place>(options, (places, faults) => {
    countStaged(reading, places, faults)
  })
  const reading: ReadState = { ctx, staged, input, counts, progress, ordinal: 0, parsing }
  try {
    const skipped = await readFiles(reading)
    await parsing.flush()
    await staged.flush()
    logUnnamed(reading)
    return skipped
  } finally {
    parsing.close()
  }
}

async function readFiles(reading: ReadState): Promise<SkippedFiles> {
  const { input } = reading
  const skipped: SkippedFiles = { named: [], count: 0 }
  for await (const file of openFiles(input.path, input.scratch)) {
    try {
      if (isBundle(file.head)) {
        await readBundle(bundleReading(reading), file)
        continue
      }
      const feed = recogniseFeedFile(file, input.source)
      if ('source' in feed) await readFile(reading, file, feed)
      else if (++skipped.count <= MAX_NAMED_FILES)
        skipped.named.push({ name: file.name, reason: feed.reason })
    } finally {
      await file.close()
    }
  }
  return skipped
}

function bundleReading(reading: ReadState) {
  return {
    staged: reading.staged,
    source: reading.input.source,
    countsOf: (source: FeedSource) => findCounts(reading, source),
    countRead: (counts: ImportCounts) => {
      countRead(reading, counts, 1)
    },
    nextOrdinal: () => ++reading.ordinal,
  }
}

async function readFile(reading: ReadState, file: OpenedFile, feed: FeedFile): Promise<void> {
  const counts = await findCounts(reading, feed.source)
  counts.files++
  for (const ecosystem of completeIn(reading.input, file.name, feed.source))
    counts.complete.add(ecosystem)
  // An earlier file of the source had a fault: nothing of the source will be merged.
  if (counts.error !== undefined) return
  const at = { counts, file, feedAt: readFeedTime(feed.source, file.head) }
  const items = readItems(file, feed)
  for (let position = 0; ; position++) {
    const place: Place = { ...at, record: position + 1 }
    const next = await nextItem(items)
    if (next instanceof Error) {
      const isOneRecord = feed.layout === 'values' && position === 0
      if (isOneRecord && next instanceof TruncatedFeedFile)
        skipRecord(reading, place, { reason: next.message })
      else counts.error = truncation(file, next.message)
      return
    }
    if (next === undefined) return
    const { line } = next
    await stageItem(reading, line === undefined ? place : { ...place, line }, next)
  }
}

/** OSV's archive of all records of an ecosystem, where OSV keeps it: `npm/all.zip` (https://google.github.io/osv.dev/data/). */
const ARCHIVE = /(?:^|[/\\])([^/\\]+)[/\\]all\.zip[/\\]/i

function completeIn(
  { complete = [] }: ReadFeeds,
  fileName: string,
  source: FeedSource,
): readonly string[] {
  if (source !== 'osv') return source === 'csaf' ? complete : []
  const [, folder = ''] = ARCHIVE.exec(resolve(fileName)) ?? []
  const ecosystem = findEcosystemName(folder.replaceAll('%20', ' '))
  return ecosystem === undefined ? complete : [...complete, ecosystem]
}

function readItems(
  { whole, chunks }: OpenedFile,
  feed: FeedFile,
): AsyncGenerator<Item> | Generator<Item> {
  // Parsing small records takes less time than handing them to another process.
  if (!isOfAdvisories(feed.source)) return readRecords(chunks, feed)
  return whole ? cutUnparsedRecords(whole, feed) : readUnparsedRecords(chunks, feed)
}

type Item = FeedItem | UnparsedItem

async function nextItem(
  items: AsyncGenerator<Item> | Generator<Item>,
): Promise<Item | Error | undefined> {
  try {
    const next = await items.next()
    return next.done === true ? undefined : next.value
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const truncation = ({ name }: OpenedFile, reason: string) =>
  `${name} cannot be read to its end: ${reason}`

interface Place {
  counts: ImportCounts
  file: OpenedFile
  feedAt: string | undefined
  /** Its place in the file, from 1. */
  record: number
  line?: number
  /** The record is the last line of its file, which may be incomplete. */
  isLast?: boolean
}

async function stageItem(reading: ReadState, place: Place, item: Item): Promise<void> {
  const { counts, feedAt } = place
  if ('fault' in item) return skipRecord(reading, place, { reason: item.fault })
  const ordinal = ++reading.ordinal
  const { source } = counts
  if ('bytes' in item) {
    if (!isOfAdvisories(source)) throw new Error(`a record of ${source} is not parsed`)
    const { bytes, isLast } = item
    const own = isLast === true ? { ...place, isLast } : place
    return reading.parsing.add({ source, feedAt, place: own, ordinal, bytes })
  }
  const staged = stageRecord(source, item.record, { ordinal, feedAt })
  if (staged === undefined) return
  if ('reason' in staged) return skipRecord(reading, place, staged)
  await reading.staged.add(source, { table: staged.table, rows: staged.row, count: 1 })
  countRead(reading, counts, 1)
}

/** All places of a batch are of one source. */
function countStaged(
  reading: ReadState,
  places: readonly Place[],
  skipped: StagedBatch['skipped'],
): void {
  for (const { index, isParsed, ...fault } of skipped) {
    const place = places[index]
    if (!place) continue
    if (place.isLast === true && !isParsed)
      place.counts.error ??= truncation(place.file, 'the file ends within a record')
    else skipRecord(reading, place, fault)
  }
  const [first] = places
  if (first) countRead(reading, first.counts, places.length - skipped.length)
}

function countRead({ progress }: ReadState, counts: ImportCounts, more: number): void {
  const before = counts.records
  const now = (counts.records += more)
  progress.read(counts.source, { before, now })
}

/** The first faults of a feed are logged; all are counted. */
const MAX_LOGGED = 20

function skipRecord(
  { ctx }: ReadState,
  { counts, file, record, line }: Place,
  { reason, id }: { reason: string; id?: string | undefined },
): void {
  counts.records++
  countSkipped(counts, reason)
  if (counts.skipped > MAX_LOGGED) return
  const place = { file: file.name, record, ...(line !== undefined && { line }) }
  counts.skippedRecords.push({ ...place, id: id ?? null, reason })
  ctx.log.warn({ source: counts.source, ...place, id, reason }, 'record skipped')
}

function logUnnamed({ ctx, counts }: ReadState): void {
  for (const { source, skipped, skippedRecords } of counts.values()) {
    const count = skipped - skippedRecords.length
    if (count > 0) ctx.log.warn({ source, count }, 'more records skipped')
  }
}

/** The counts of a source. The first call records the attempt, before its outcome is known. */
async function findCounts({ ctx, counts }: ReadState, source: FeedSource): Promise<ImportCounts> {
  const known = counts.get(source)
  if (known) return known
  const own = createImportCounts(source)
  counts.set(source, own)
  await store.recordAttempt(ctx.db, source, ctx.now())
  return own
}

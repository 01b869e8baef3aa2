/** Reads the files of an import, record by record, into the staging tables. */
import {
  type FeedFile,
  type FeedItem,
  type FeedSource,
  recordsOf,
  TruncatedFeedFile,
} from '../../formats/feed-files.ts'
import type { AppContext } from '../../platform/context.ts'
import { isBundle, readBundle } from './bundles/reading-service.ts'
import { type OpenedFile, openFiles } from './feed-files-service.ts'
import { countSkipped, type ImportCounts, newImportCounts } from './import-counts.ts'
import { feedOf, feedTimeOf } from './recognised-feed.ts'
import { stagedRecord } from './staged-rows.ts'
import type { Staging } from './staging-store.ts'
import * as store from './store.ts'

export interface ReadFeeds {
  /** A file, or a folder: all files below it are read. */
  path: string
  /** Reads files of unknown shape as files of this source, and skips files of other sources. */
  source?: FeedSource
  /** The folder where archives inside archives are unpacked. */
  scratch?: string
  onProgress?: (text: string) => void
  onRecords?: (count: number) => void
}

export interface SkippedFiles {
  /** The first of them. */
  named: { name: string; reason: string }[]
  count: number
}

const MAX_NAMED_FILES = 50

type Context = Pick<AppContext, 'db' | 'log' | 'now'>

interface Reading {
  ctx: Context
  staging: Staging
  input: ReadFeeds
  counts: Map<FeedSource, ImportCounts>
  ordinal: number
}

/** Fills `counts`, also when it fails. */
export async function readFeeds(
  ctx: Context,
  input: ReadFeeds,
  { staging, counts }: Pick<Reading, 'staging' | 'counts'>,
): Promise<SkippedFiles> {
  const reading: Reading = { ctx, staging, input, counts, ordinal: 0 }
  const skipped: SkippedFiles = { named: [], count: 0 }
  for await (const file of openFiles(input.path, input.scratch)) {
    try {
      if (isBundle(file.head)) {
        await readBundle(bundleReading(reading), file)
        continue
      }
      const feed = feedOf(file, input.source)
      if ('source' in feed) await readFile(reading, file, feed)
      else if (++skipped.count <= MAX_NAMED_FILES)
        skipped.named.push({ name: file.name, reason: feed.reason })
    } finally {
      await file.close()
    }
  }
  await staging.flush()
  return skipped
}

function bundleReading(reading: Reading) {
  return {
    staging: reading.staging,
    source: reading.input.source,
    countsOf: (source: FeedSource) => countsOf(reading, source),
    nextOrdinal: () => ++reading.ordinal,
  }
}

async function readFile(reading: Reading, file: OpenedFile, feed: FeedFile): Promise<void> {
  const counts = await countsOf(reading, feed.source)
  counts.files++
  // An earlier file of the source had a fault: nothing of the source will be merged.
  if (counts.error !== undefined) return
  const place: Place = { counts, file, feedAt: feedTimeOf(feed.source, file.head) }
  const items = recordsOf(file.chunks, feed)
  const before = counts.records
  for (;;) {
    const next = await nextItem(items)
    if (next instanceof Error) {
      const isOneRecord = feed.layout === 'values' && counts.records === before
      if (isOneRecord && next instanceof TruncatedFeedFile)
        skipRecord(reading, place, { reason: next.message })
      else counts.error = `${file.name} cannot be read to its end: ${next.message}`
      return
    }
    if (next === undefined) return
    await stageItem(reading, place, next)
  }
}

async function nextItem(items: AsyncGenerator<FeedItem>): Promise<FeedItem | Error | undefined> {
  try {
    const next = await items.next()
    return next.done === true ? undefined : next.value
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

interface Place {
  counts: ImportCounts
  file: OpenedFile
  feedAt: string | undefined
}

const PROGRESS_EVERY = 25_000
const RECORDS_EVERY = 1_000

async function stageItem(reading: Reading, place: Place, item: FeedItem): Promise<void> {
  const { counts, feedAt } = place
  if ('fault' in item) return skipRecord(reading, place, { reason: item.fault })
  const ordinal = ++reading.ordinal
  const staged = stagedRecord(counts.source, item.record, { ordinal, feedAt })
  if (staged === undefined) return
  if ('reason' in staged) return skipRecord(reading, place, staged)
  counts.records++
  await reading.staging.add(staged.table, staged.row)
  if (counts.records % RECORDS_EVERY === 0) reading.input.onRecords?.(counts.records)
  if (counts.records % PROGRESS_EVERY === 0)
    reading.input.onProgress?.(
      `${counts.source}: ${counts.records.toLocaleString('en')} records read`,
    )
}

/** The first faults of a feed are logged; all are counted. */
const MAX_LOGGED = 20

function skipRecord(
  { ctx }: Reading,
  { counts, file }: Place,
  { reason, id }: { reason: string; id?: string | undefined },
): void {
  counts.records++
  countSkipped(counts, reason)
  if (counts.skipped <= MAX_LOGGED)
    ctx.log.warn({ source: counts.source, file: file.name, id, reason }, 'record skipped')
}

/** The counts of a source. The first call records the attempt, before its outcome is known. */
async function countsOf({ ctx, counts }: Reading, source: FeedSource): Promise<ImportCounts> {
  const known = counts.get(source)
  if (known) return known
  const own = newImportCounts(source)
  counts.set(source, own)
  await store.recordAttempt(ctx.db, source, ctx.now())
  return own
}

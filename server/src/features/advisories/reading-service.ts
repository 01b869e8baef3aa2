/** Reads the files of an import, record by record, into the staging tables. */
import {
  type FeedFile,
  type FeedItem,
  type FeedSource,
  recogniseFeed,
  recordsOf,
  TruncatedFeedFile,
} from '../../formats/feed-files.ts'
import { outlineJson } from '../../formats/advisories/json-outline.ts'
import type { AppContext } from '../../platform/context.ts'
import { isBundle, readBundle } from './bundle-reading-service.ts'
import { feedTimeOf } from './feed-time.ts'
import { type OpenedFile, openFiles } from './feed-files-service.ts'
import { stagedRecord } from './staged-record.ts'
import type { Staging } from './staging-store.ts'
import * as store from './store.ts'
import { countSkipped, newTally, type Tally } from './tally.ts'

export interface ReadFeeds {
  /** A file, or a folder with everything below it. */
  path: string
  /** Takes files of unknown shape for this source's, and leaves out those of others. */
  source?: FeedSource
  /** Where archives within archives are unpacked. */
  scratch?: string
  onProgress?: (text: string) => void
  onRecords?: (count: number) => void
}

export interface LeftOut {
  /** The first files that were left out, with the reason. */
  named: { name: string; reason: string }[]
  count: number
}

const NAMED_FILES = 50

type Context = Pick<AppContext, 'db' | 'log' | 'now'>

interface Reading {
  ctx: Context
  staging: Staging
  input: ReadFeeds
  tallies: Map<FeedSource, Tally>
  ordinal: number
}

/** What it counts of each source is in `tallies`, also when it fails. */
export async function readFeeds(
  ctx: Context,
  input: ReadFeeds,
  { staging, tallies }: Pick<Reading, 'staging' | 'tallies'>,
): Promise<LeftOut> {
  const reading: Reading = { ctx, staging, input, tallies, ordinal: 0 }
  const leftOut: LeftOut = { named: [], count: 0 }
  for await (const file of openFiles(input.path, input.scratch)) {
    try {
      if (isBundle(file.head)) {
        await readBundle(bundleReading(reading), file)
        continue
      }
      const feed = feedOf(file, input.source)
      if ('source' in feed) await readFile(reading, file, feed)
      else if (++leftOut.count <= NAMED_FILES)
        leftOut.named.push({ name: file.name, reason: feed.reason })
    } finally {
      await file.close()
    }
  }
  await staging.flush()
  return leftOut
}

function bundleReading(reading: Reading) {
  return {
    staging: reading.staging,
    source: reading.input.source,
    tallyOf: (source: FeedSource) => tallyOf(reading, source),
    nextOrdinal: () => ++reading.ordinal,
  }
}

function feedOf(file: OpenedFile, source: FeedSource | undefined): FeedFile | { reason: string } {
  const recognised = recognise(file.head)
  if ('source' in recognised)
    return source === undefined || source === recognised.source
      ? recognised
      : { reason: `holds records of ${recognised.source}, not of ${source}` }
  if (source !== undefined && file.failure) return { source, layout: 'values' }
  if (file.failure) return { reason: `cannot be read: ${file.failure.message}` }
  const text = new TextDecoder().decode(file.head).trimStart()
  if (source === undefined || !/^[[{]/.test(text)) return { reason: recognised.unsupported }
  const { isArray, isFirstLineWhole } = outlineJson(text)
  return { source, layout: isArray ? 'array' : isFirstLineWhole ? 'lines' : 'values' }
}

/** The beginning of the beginning mostly tells, which counts where every record is a file. */
const SHORT_HEAD_BYTES = 4 * 1024

function recognise(head: Uint8Array): ReturnType<typeof recogniseFeed> {
  const recognised = recogniseFeed(head.subarray(0, SHORT_HEAD_BYTES))
  return 'source' in recognised ? recognised : recogniseFeed(head)
}

async function readFile(reading: Reading, file: OpenedFile, feed: FeedFile): Promise<void> {
  const tally = await tallyOf(reading, feed.source)
  tally.files++
  // Nothing will be merged: what one file lost the others do not make up for.
  if (tally.error !== undefined) return
  const place: Place = { tally, file, feedAt: feedTimeOf(feed.source, file.head) }
  const items = recordsOf(file.chunks, feed)
  const before = tally.records
  for (;;) {
    const next = await nextItem(items)
    if (next instanceof Error) {
      const isOneRecord = feed.layout === 'values' && tally.records === before
      if (isOneRecord && next instanceof TruncatedFeedFile)
        skip(reading, place, { reason: next.message })
      else tally.error = `${file.name} cannot be read to its end: ${next.message}`
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
  tally: Tally
  file: OpenedFile
  feedAt: string | undefined
}

const PROGRESS_EVERY = 25_000
const RECORDS_EVERY = 1_000

async function stageItem(reading: Reading, place: Place, item: FeedItem): Promise<void> {
  const { tally, feedAt } = place
  if ('fault' in item) return skip(reading, place, { reason: item.fault })
  const ordinal = ++reading.ordinal
  const staged = stagedRecord(tally.source, item.record, { ordinal, feedAt })
  if (staged === undefined) return
  if ('reason' in staged) return skip(reading, place, staged)
  tally.records++
  await reading.staging.add(staged.table, staged.row)
  if (tally.records % RECORDS_EVERY === 0) reading.input.onRecords?.(tally.records)
  if (tally.records % PROGRESS_EVERY === 0)
    reading.input.onProgress?.(
      `${tally.source}: ${tally.records.toLocaleString('en')} records read`,
    )
}

/** Enough to see what is wrong with a feed; the rest is in the counts. */
const LOGGED = 20

function skip(
  { ctx }: Reading,
  { tally, file }: Place,
  { reason, id }: { reason: string; id?: string | undefined },
): void {
  tally.records++
  countSkipped(tally, reason)
  if (tally.skipped <= LOGGED)
    ctx.log.warn({ source: tally.source, file: file.name, id, reason }, 'record skipped')
}

/** The attempt shows from now on, whatever becomes of it. */
async function tallyOf({ ctx, tallies }: Reading, source: FeedSource): Promise<Tally> {
  const known = tallies.get(source)
  if (known) return known
  const tally = newTally(source)
  tallies.set(source, tally)
  await store.recordAttempt(ctx.db, source, ctx.now())
  return tally
}

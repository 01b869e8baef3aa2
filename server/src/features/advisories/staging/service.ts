/**
 * What an import has read. Staged records are merged while later ones are read, as long as all are of one source: a merge is
 * one transaction, and what its session has staged is lost when it is rolled back.
 */
import type { AdvisorySource } from '../../../formats/advisories/model.ts'
import type { FeedSource } from '../../../formats/feed-files.ts'
import {
  AdvisoryMerge,
  type ImportedPart,
  type MergeContext,
  type MergeProgress,
} from '../merging/advisories-service.ts'
import { noteUnread, type UnreadRecord } from '../reading/known-texts-store.ts'
import type { NewRecords } from './new-records.ts'
import { BATCH_LENGTH, openStaging, type StagedTable, type StagingSession } from './store.ts'

/** Enough that the statements around the records cost little, few enough that the records are in memory. */
const MERGED_AT_ONCE = 10_000
/** The first ones tell whether the source is new; new records are written past the staging table. */
const MERGED_FIRST = 1_000

const UNREAD_AT_ONCE = 10_000

interface StagedRows {
  table: StagedTable
  /** In COPY's text format. */
  rows: string | Uint8Array
  count: number
}

interface StagedImportOptions {
  onMerging: (source: FeedSource, progress: MergeProgress | undefined) => void
  part?: ImportedPart | undefined
  mergedAtOnce?: number | undefined
  /** The first session stays open. */
  isKept?: boolean
}

export class StagedImport {
  readonly #ctx: MergeContext
  readonly #part: ImportedPart | undefined
  readonly #first: StagingSession
  readonly #onMerging: StagedImportOptions['onMerging']
  readonly #mergedAtOnce: number
  readonly #isKept: boolean
  readonly #sources = new Set<FeedSource>()
  #others: Promise<StagingSession> | undefined
  #merge: AdvisoryMerge | undefined
  #unmerged = 0
  #news: NewRecords[] = []
  #newLength = 0
  readonly #unread = new Map<AdvisorySource, UnreadRecord[]>()

  constructor(
    ctx: MergeContext,
    first: StagingSession,
    { part, onMerging, mergedAtOnce = MERGED_AT_ONCE, isKept = false }: StagedImportOptions,
  ) {
    this.#ctx = ctx
    this.#first = first
    this.#part = part
    this.#onMerging = onMerging
    this.#mergedAtOnce = mergedAtOnce
    this.#isKept = isKept
  }

  /** Waits while the database is behind. */
  async add(source: FeedSource, { table, rows, count }: StagedRows): Promise<void> {
    const staging = await this.stagingOf(source)
    this.#sources.add(source)
    if (count > 0) await staging.add(table, rows)
    await this.#countUnmerged(source, staging, count)
  }

  /** The time of writing for records of the source that nobody knows yet; undefined while all of them are staged. */
  newSince(source: FeedSource): Date | undefined {
    return this.#merge?.source === source ? this.#merge.writesNewAt : undefined
  }

  /** Writes records past the staging table. Waits while the database is behind. */
  async addNew(source: FeedSource, news: NewRecords): Promise<void> {
    this.#news.push(news)
    this.#newLength += news.advisories.length + news.records.length + news.affected.length
    if (this.#newLength >= BATCH_LENGTH) await this.#writeNew()
    await this.#countUnmerged(source, this.#first, news.ids.length)
  }

  /** Notes a record whose text is known. */
  async addUnread(source: AdvisorySource, record: UnreadRecord): Promise<void> {
    const records = this.#unread.get(source) ?? []
    this.#unread.set(source, records)
    this.#sources.add(source)
    if (records.push(record) >= UNREAD_AT_ONCE) await this.#noteUnread(source)
  }

  async #noteUnread(source: AdvisorySource): Promise<void> {
    const records = this.#unread.get(source) ?? []
    this.#unread.delete(source)
    const staging = await this.stagingOf(source)
    staging.enqueue(() => noteUnread(staging.db, source, records))
  }

  async #writeNew(): Promise<void> {
    const [merge, news, length] = [this.#merge, this.#news, this.#newLength]
    if (merge === undefined || news.length === 0) return
    this.#news = []
    this.#newLength = 0
    await this.#first.enqueueLarge(length, () => merge.writeNew(news))
  }

  async #countUnmerged(source: FeedSource, staging: StagingSession, count: number): Promise<void> {
    if (staging !== this.#first || this.#sources.size > 1) return
    this.#unmerged += count
    const most = this.#merge ? this.#mergedAtOnce : Math.min(MERGED_FIRST, this.#mergedAtOnce)
    if (!isMergedInPieces(source) || this.#unmerged < most) return
    this.#unmerged = 0
    const merge = (this.#merge ??= this.#newMerge(source, staging))
    if (!merge.hasBegun) await staging.perform(() => merge.beginUnlessLocked())
    await this.#writeNew()
    staging.enqueue(() => merge.mergeWhileReading())
  }

  /** The session that holds the records of the source. A second one is opened when the first merges another source. */
  async stagingOf(source: FeedSource): Promise<StagingSession> {
    if (this.#merge === undefined || this.#merge.source === source) return this.#first
    this.#others ??= openStaging(this.#ctx.pool)
    return this.#others
  }

  async mergeOf(source: AdvisorySource): Promise<AdvisoryMerge> {
    if (this.#merge?.source === source) return this.#merge
    return this.#newMerge(source, await this.stagingOf(source))
  }

  /** The source whose merge may have begun: it must be merged first, since others wait for it. */
  get begunSource(): FeedSource | undefined {
    return this.#merge?.source
  }

  /** Waits until all added records are staged. */
  async flush(): Promise<void> {
    await this.#writeNew()
    for (const source of this.#unread.keys()) await this.#noteUnread(source)
    await this.#first.flush()
    await (await this.#others)?.flush()
  }

  /** What is not committed is lost. */
  async close(): Promise<void> {
    if (!this.#isKept) this.#first.close()
    const others = await this.#others?.catch(() => undefined)
    others?.close()
  }

  #newMerge(source: AdvisorySource, staging: StagingSession): AdvisoryMerge {
    return new AdvisoryMerge(this.#ctx, {
      staging,
      source,
      part: this.#part,
      onMerging: (progress) => {
        this.#onMerging(source, progress)
      },
    })
  }
}

/**
 * Each record is of one CVE, so that no record depends on another. Records of other sources may share names: merged in pieces,
 * they would leave vulnerabilities that existed only until the next piece.
 */
function isMergedInPieces(source: FeedSource): source is 'cvelist' | 'nvd' {
  return source === 'cvelist' || source === 'nvd'
}

const WITHOUT_ADVISORIES: ReadonlySet<FeedSource> = new Set<FeedSource>([
  'kev',
  'epss',
  'euvd',
  'endoflife',
])

export function isOfAdvisories(source: FeedSource): source is AdvisorySource {
  return !WITHOUT_ADVISORIES.has(source)
}

/** Parses the records of an import in child processes, and stages their rows. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { AdvisorySource } from '../../../formats/advisories/model.ts'
import { ChildWorker } from '../../../platform/child-worker.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { limitMemory, releaseBuffers } from '../../../platform/memory-release.ts'
import { GIVING_WAY } from '../../../platform/priority.ts'
import { type KnownTexts, loadKnownTexts } from './known-texts-store.ts'
import { type RecordBatch, type StagedBatch, stageBatch } from './record-batches.ts'
import type { StagedImport } from '../staging/service.ts'

/** Less than the buffer of a socket, so that a batch is sent at once. */
const BATCH_BYTES = 128 * 1024
/** Holds a batch that is not complete and one more record of usual size. */
const BUFFER_BYTES = 2 * BATCH_BYTES
/** A delta is parsed before a child process would have started. */
const BATCHES_BEFORE_CHILDREN = 32
/** While this process parses, it neither reads nor feeds the database, which then waits. So it parses nothing but a delta. */
const CHILDREN = Math.min(2, availableParallelism())
/** Enough that each child always has work, also while another one is busy with a long batch. */
const MOST_HELD = 6 * CHILDREN
/** They have about 4 MB, and were copied a few times on their way to the database. */
const BATCHES_PER_RELEASE = 32
/** Small files are read without a turn of the event loop, which moves the batches between the processes. */
const RECORDS_PER_TURN = 8
/** A delta is parsed before the known texts would have been loaded. */
const COMPARED_AFTER_BYTES = BATCHES_BEFORE_CHILDREN * BATCH_BYTES
/** So many records are compared without a turn of the event loop. */
const COMPARED_PER_TURN = 64
const HEAP_MEGABYTES = 256

const ENTRY = new URL('record-process.ts', import.meta.url)

/** A record's text and what the batches need to know of its place. */
export interface UnparsedRecord<Place> {
  source: AdvisorySource
  feedAt: string | undefined
  place: Place
  ordinal: number
  bytes: Uint8Array
}

interface Batch<Place> extends Pick<RecordBatch, 'source' | 'feedAt'> {
  places: Place[]
  ordinals: number[]
  ends: number[]
  length: number
}

interface RecordParsingOptions {
  /** Where the known texts are. */
  db: Db
  staged: StagedImport
  /** So many bytes are read before texts are compared with the known ones. */
  comparedAfter: number | undefined
}

export class RecordParsing<Place> {
  readonly #db: Db
  readonly #staged: StagedImport
  readonly #comparedAfter: number
  readonly #known = new Map<AdvisorySource, KnownTexts>()
  #addedBytes = 0
  #compared = 0
  readonly #onStaged: (places: Place[], skipped: StagedBatch['skipped']) => void
  readonly #children = Array.from(
    { length: CHILDREN },
    () =>
      new ChildWorker({
        entry: fileURLToPath(ENTRY),
        heapMegabytes: HEAP_MEGABYTES,
        niceness: GIVING_WAY,
      }),
  )
  /** The batches that are parsed or staged, in their order. */
  readonly #working: Promise<void>[] = []
  /** The newest of them. */
  #last: Promise<void> = Promise.resolve()
  #batch: Batch<Place> | undefined
  /** The bytes of the batch. A new buffer for each batch would make V8 collect garbage twice a second. */
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #sent = 0
  #failure: Error | undefined

  constructor(
    { db, staged, comparedAfter = COMPARED_AFTER_BYTES }: RecordParsingOptions,
    onStaged: (places: Place[], skipped: StagedBatch['skipped']) => void,
  ) {
    this.#db = db
    this.#staged = staged
    this.#comparedAfter = comparedAfter
    this.#onStaged = onStaged
  }

  /** Copies the bytes, unless they are the text of a stored advisory. */
  async add(record: UnparsedRecord<Place>): Promise<void> {
    const { source, bytes } = record
    if (this.#addedBytes >= this.#comparedAfter && !this.#known.has(source))
      this.#known.set(source, await loadKnownTexts(this.#db, source))
    this.#addedBytes += bytes.length
    const id = this.#known.get(source)?.idOf(bytes)
    if (id === undefined) return this.#addToBatch(record)
    if (++this.#compared % COMPARED_PER_TURN === 0) await turn()
    const { place, ordinal, feedAt } = record
    this.#onStaged([place], [])
    return this.#staged.addUnread(source, { id, ordinal, feedAt })
  }

  async #addToBatch(record: UnparsedRecord<Place>): Promise<void> {
    const { source, feedAt, place, ordinal, bytes } = record
    if (this.#batch?.source !== source || this.#batch.feedAt !== feedAt) await this.#send()
    if ((this.#batch?.length ?? 0) + bytes.length > this.#buffer.length) await this.#send()
    if (bytes.length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes.length)
    const batch = (this.#batch ??= {
      source,
      feedAt,
      places: [],
      ordinals: [],
      ends: [],
      length: 0,
    })
    this.#buffer.set(bytes, batch.length)
    batch.length += bytes.length
    batch.places.push(place)
    batch.ordinals.push(ordinal)
    batch.ends.push(batch.length)
    if (batch.length >= BATCH_BYTES) await this.#send()
    else if (batch.ordinals.length % RECORDS_PER_TURN === 0) await turn()
  }

  /** Waits until all added records are staged. */
  async flush(): Promise<void> {
    await this.#send()
    await this.#last
    this.#throwFailure()
  }

  close(): void {
    for (const child of this.#children) child.close()
  }

  async #send(): Promise<void> {
    this.#throwFailure()
    const batch = this.#batch
    if (batch === undefined) return
    this.#batch = undefined
    limitMemory()
    if (this.#sent % BATCHES_PER_RELEASE === 0) releaseBuffers()
    const { source, feedAt, ordinals, ends, length } = batch
    const writtenAt = this.#staged.newSince(source)?.toISOString()
    // The batch is parsed, or copied to the child, before the buffer is used again.
    const bytes = this.#buffer.subarray(0, length)
    const task: RecordBatch = { source, feedAt, writtenAt, ordinals, ends, bytes }
    const isOwn = this.#sent++ < BATCHES_BEFORE_CHILDREN
    this.#stageInOrder(batch, isOwn ? Promise.resolve(stageBatch(task)) : this.#ask(task))
    while (this.#working.length > (isOwn ? 0 : MOST_HELD)) await this.#working.shift()
    this.#throwFailure()
    await turn()
  }

  async #ask(task: RecordBatch): Promise<StagedBatch> {
    const [child] = this.#children.toSorted((a, b) => a.pending - b.pending)
    return (await child?.ask(task)) as StagedBatch
  }

  /** In the order of the records: of two texts of one record that are equally old, the later one wins. */
  #stageInOrder(batch: Batch<Place>, parsed: Promise<StagedBatch>): void {
    const before = this.#last
    // The next await reports a failure; until then it must not count as unhandled.
    parsed.catch(() => undefined)
    this.#last = before
      .then(async () => this.#stage(batch, await parsed))
      .catch((error: unknown) => {
        this.#failure ??= error instanceof Error ? error : new Error(String(error))
      })
    this.#working.push(this.#last)
  }

  async #stage(batch: Batch<Place>, { rows, news, skipped }: StagedBatch): Promise<void> {
    const { source, places } = batch
    this.#onStaged(places, skipped)
    const count = places.length - skipped.length - news.ids.length
    await this.#staged.add(source, { table: 'staged_advisories', rows, count })
    if (news.ids.length > 0) await this.#staged.addNew(source, news)
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Reads feeds of suppliers, each in pieces: a run is limited in time and documents, and the next one goes on. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ALLOWED_HOSTS } from '../../config/webhook-settings.ts'
import { formatCountOf } from '../../formats/counts.ts'
import { addMs } from '../../formats/instants.ts'
import { shortenText } from '../../formats/shorten.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { createHttpClient, download, nameDownload } from '../../platform/http-client/index.ts'
import { newId } from '../../platform/ids.ts'
import { type ListedDocument, type ListingIo, findPlaces, readListing } from '../feeds/index.ts'
import { lockFirmwareVersions } from '../firmware/index.ts'
import { listVersionsDecidedBy } from '../vex/index.ts'
import { fetchDocument, type FetchOutcome } from './document-service.ts'
import * as documents from './documents-store.ts'
import * as limits from './limits.ts'
import { planReading, type WantedDocument } from './reading.ts'
import { SupplierDocumentsRead, SupplierDocumentsWithdrawn } from './schemas.ts'
import { listHoldingVersions, listStatedVersions } from './store.ts'

const SPARE_SECONDS = 60

/** Reads a piece of the feed that is due. Answers false if none is. */
export async function readDueFeed(ctx: AppContext, stopping: AbortSignal): Promise<boolean> {
  const seconds = limits.RUN_MS / 1_000 + SPARE_SECONDS
  const claim = { by: newId(), now: ctx.now(), seconds }
  const feed = await documents.claimDueFeed(ctx.db, claim)
  if (!feed) return false
  const deadline = AbortSignal.timeout(limits.RUN_MS)
  const run = openRun(ctx, feed, AbortSignal.any([stopping, deadline]))
  try {
    await documents.releaseFeed(ctx.db, feed, await readPiece(run))
  } catch (error) {
    if (stopping.aborted) await documents.releaseFeed(ctx.db, feed, endInterrupted(run))
    else await documents.releaseFeed(ctx.db, feed, endFailed(run, describeError(error)))
  } finally {
    await run.close()
  }
  return true
}

interface Run {
  ctx: AppContext
  feed: documents.ClaimedFeed
  io: ListingIo & { signal: AbortSignal }
  close: () => Promise<void>
}

function openRun(ctx: AppContext, feed: documents.ClaimedFeed, signal: AbortSignal): Run {
  const folder = join(ctx.config.dataDir, 'supplier-feeds', feed.claimedBy)
  const { feeds, webhooks } = ctx.config
  // Members name these addresses, as they do those of webhooks, so they reach what webhooks reach.
  const client = createHttpClient({
    ...feeds.http,
    allowedHosts: webhooks.allowedHosts,
    allowedBy: ALLOWED_HOSTS,
    needsTls: true,
    totalMs: limits.RUN_MS,
    retry: { attempts: 2, baseMs: 500, maxMs: 5_000 },
  })
  const fetchFile: ListingIo['fetchFile'] = async ({ name, maxBytes, ...file }) => {
    const to = join(folder, name ?? nameDownload(file.url))
    const most = Math.min(maxBytes ?? limits.MOST_BYTES_OF_LIST, limits.MOST_BYTES_OF_LIST)
    const done = await download(client, { ...file, to, maxBytes: most, signal })
    return { ...done, path: to }
  }
  const close = async () => {
    await client.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { ctx, feed, io: { folder, fetchFile, signal }, close }
}

const describeError = (error: unknown) => (error instanceof Error ? error.message : String(error))

const endFailed = ({ ctx }: Run, error: string): documents.RunEnd => ({
  dueAt: addMs(ctx.now(), limits.RETRY_MS),
  checkedAt: ctx.now(),
  error: shortenText(error, 2_000),
  notice: null,
})

/** The service stops: whoever is next goes on. */
const endInterrupted = ({ ctx }: Run): documents.RunEnd => ({
  dueAt: ctx.now(),
  checkedAt: ctx.now(),
  error: null,
  notice: 'The service was stopped while it read the feed. It goes on at its next start.',
})

async function readPiece(run: Run): Promise<documents.RunEnd> {
  const { ctx, feed } = run
  // What an interrupted run has read was not applied.
  await announcePending(run)
  const listed = await readLists(run)
  const known = await documents.listKnown(ctx.db, feed)
  const { wanted, gone, notices } = planReading(listed, known, ctx.now())
  await forgetGone(run, gone)
  const piece = wanted.slice(0, limits.MOST_DOCUMENTS_OF_RUN)
  const { tried, failures, isFull } = await fetchPiece(run, piece)
  await announcePending(run)
  if (isFull)
    notices.push(
      `The documents of the workspace have ${formatCountOf(limits.MOST_BYTES_OF_WORKSPACE / 1024 ** 2, 'mebibyte')}, which is all they may have; ${formatCountOf(wanted.length - tried, 'document')} of this feed were left out.`,
    )
  if (failures.length > 0 && failures.length === tried)
    return {
      ...endFailed(
        run,
        `None of ${formatCountOf(tried, 'document')} could be used: ${failures[0]}`,
      ),
      listedCount: listed.size,
    }
  const hasMore = !isFull && tried < wanted.length
  const at = ctx.now()
  return {
    dueAt: addMs(at, hasMore ? limits.NEXT_PIECE_MS : limits.EVERY_MS),
    checkedAt: at,
    completedAt: hasMore || isFull ? undefined : at,
    error: null,
    notice: notices.length > 0 ? notices.join(' ') : null,
    listedCount: listed.size,
  }
}

/** Years and products may have lists of their own. */
const MOST_LISTS = 50

async function readLists({ feed, io }: Run): Promise<Map<string, ListedDocument>> {
  const places = await findPlaces(io, { name: 'supplier', url: feed.url })
  if (places.length > MOST_LISTS)
    throw new Error(`${feed.url} offers ${places.length} lists; at most ${MOST_LISTS} are read.`)
  const listed = new Map<string, ListedDocument>()
  for (const place of places)
    for (const document of (await readListing(io, place, '')).changed)
      listed.set(document.url, document)
  return listed
}

const AT_ONCE = 4

async function fetchPiece(run: Run, piece: readonly WantedDocument[]) {
  const { ctx, feed, io } = run
  const left = piece.map((document, index) => ({ document, name: `documents/${index}.json` }))
  left.reverse()
  const failures: string[] = []
  let tried = 0
  let bytes = await documents.sumBytes(ctx.db, feed.workspaceId)
  const isFull = () => bytes >= limits.MOST_BYTES_OF_WORKSPACE
  const worker = async () => {
    for (let next = left.pop(); next && !isFull(); next = left.pop()) {
      const { document, name } = next
      const outcome = await fetchDocument(io, document, name)
      tried += 1
      if (outcome.kind === 'Failed') failures.push(outcome.error)
      if (outcome.kind === 'Read')
        bytes += outcome.read.sizeBytes - (document.known?.sizeBytes ?? 0)
      await writeOutcome(run, document, outcome)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
  const fault = ends.find((end) => end.status === 'rejected')
  // Where the time of the run is over, the next one goes on.
  if (fault && (!io.signal.aborted || tried === 0)) throw fault.reason
  return { tried, failures, isFull: isFull() && left.length > 0 }
}

async function writeOutcome(run: Run, document: WantedDocument, outcome: FetchOutcome) {
  const { ctx, feed } = run
  const row = {
    workspaceId: feed.workspaceId,
    feedId: feed.id,
    id: document.known?.id ?? newId(),
    url: document.url,
    listedAt: new Date(document.at),
    triedAt: ctx.now(),
  }
  await withClaim(run, async (tx) => {
    if (outcome.kind === 'Failed')
      await documents.writeFailure(tx, { ...row, error: outcome.error })
    else if (outcome.kind === 'Unchanged') await documents.writeUnchanged(tx, row)
    else {
      await documents.writeDocument(tx, { ...row, ...outcome.read })
      if (outcome.read.document === null && document.known) await silence(ctx, tx, feed, [row.id])
    }
  })
}

/** What they said counts no more, and what they alone decided is open again. */
async function silence(
  ctx: AppContext,
  tx: Tx,
  feed: documents.ClaimedFeed,
  documentIds: readonly string[],
) {
  const { workspaceId, id: feedId, name: feedName } = feed
  const versions = await listStatedVersions(tx, { ...feed, documentIds })
  await lockFirmwareVersions(tx, workspaceId, versions)
  const gone = await documents.deleteMadeOf(tx, { workspaceId, documentIds })
  if (gone.length === 0) return
  for (const firmwareVersionId of await listVersionsDecidedBy(tx, workspaceId, gone))
    await ctx.queue.enqueue(tx, SupplierDocumentsWithdrawn, {
      workspaceId,
      firmwareVersionId,
      feedId,
      feedName,
      documents: gone,
    })
}

async function forgetGone(run: Run, gone: readonly documents.KnownDocument[]): Promise<void> {
  if (gone.length === 0) return
  const documentIds = gone.map(({ id }) => id)
  await withClaim(run, async (tx) => {
    await silence(run.ctx, tx, run.feed, documentIds)
    await documents.deleteDocuments(tx, { ...run.feed, documentIds })
  })
}

/** Tells each firmware version of what was read since the last time. */
async function announcePending(run: Run): Promise<void> {
  const { ctx, feed } = run
  const { workspaceId } = feed
  await withClaim(run, async (tx) => {
    const documentIds = await documents.takePending(tx, feed)
    if (documentIds.length === 0) return
    for (const firmwareVersionId of await listHoldingVersions(tx, workspaceId))
      await ctx.queue.enqueue(tx, SupplierDocumentsRead, {
        workspaceId,
        firmwareVersionId,
        documentIds,
      })
  })
}

/** Writes only while the feed is as it was when it was claimed: not deleted, and with the same address. */
async function withClaim({ ctx, feed }: Run, work: (tx: Tx) => Promise<void>): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await documents.holdClaim(tx, feed)))
      throw new Error('The feed was changed or deleted while it was read.')
    await work(tx)
  })
}

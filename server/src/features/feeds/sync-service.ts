/** Fetches sources part by part. Each part is merged by itself, so that findings appear while other parts are fetched. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FeedSource } from '../../formats/feed-files.ts'
import { MINUTE_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import {
  createHttpClient,
  download,
  nameDownload,
  type HttpClient,
} from '../../platform/http-client/index.ts'
import { importFeeds, type SourceImport } from '../advisories/index.ts'
import { type ProgressReport, reportProgress } from './progress-service.ts'
import { planCsafParts } from './publishers/csaf-service.ts'
import { planCvelistParts } from './publishers/cvelist-service.ts'
import type { FetchedPart, FeedIo, ListParts, FeedPart } from './publishers/feed-part.ts'
import {
  planEndoflifeParts,
  planEpssParts,
  planEuvdParts,
  planKevParts,
} from './publishers/kev-epss-service.ts'
import { planNvdParts } from './publishers/nvd-service.ts'
import { planOsvParts } from './publishers/osv-service.ts'
import * as store from './store.ts'
import { shortenText } from '../../formats/shorten.ts'

const PUBLISHERS: Record<FeedSource, ListParts> = {
  kev: planKevParts,
  epss: planEpssParts,
  cvelist: planCvelistParts,
  nvd: planNvdParts,
  osv: planOsvParts,
  csaf: planCsafParts,
  euvd: planEuvdParts,
  endoflife: planEndoflifeParts,
}

type Context = Pick<AppContext, 'config' | 'db' | 'pool' | 'queue' | 'log' | 'now' | 'memory'>

export interface SyncRequest {
  source: FeedSource
  signal: AbortSignal
  /** An operator asks: the source is fetched also before it is due. */
  isByHand: boolean
  /** Accepts archives that are much smaller than what is known. */
  isSmallerAccepted?: boolean
  onProgress?: (text: string) => void
}

export interface SyncOutcome {
  source: FeedSource
  /** `NotTaken`: another process is fetching it, or it is not due yet. */
  state: 'Succeeded' | 'Failed' | 'Stopped' | 'NotTaken'
  parts: number
  added: number
  changed: number
  withdrawn: number
  error?: string
  notice?: string
}

export async function syncSource(ctx: Context, request: SyncRequest): Promise<SyncOutcome> {
  const { source, isByHand } = request
  const claim = { source, by: crypto.randomUUID() }
  const sync: Sync = {
    ctx,
    request,
    claim,
    report: reportProgress(ctx, claim, request),
    client: createHttpClient(ctx.config.feeds.http),
    failed: new Map(),
    missed: new Set(),
    notices: [],
    counts: { parts: 0, added: 0, changed: 0, withdrawn: 0 },
    beganAt: ctx.now(),
    unchanged: 0,
    skipped: 0,
  }
  try {
    if (!(await store.claimSource(ctx.db, claim, { at: ctx.now(), isByHand })))
      return { source, state: 'NotTaken', ...sync.counts }
    sync.report.begin()
    return await runClaimed(sync)
  } finally {
    await sync.report.end()
    await sync.client.close()
  }
}

interface Sync {
  ctx: Context
  request: SyncRequest
  claim: store.Claim
  report: ProgressReport
  client: HttpClient
  /** Parts that failed, with the reason. */
  failed: Map<string, string>
  /** Optional parts that failed. */
  missed: Set<string>
  notices: string[]
  counts: { parts: number; added: number; changed: number; withdrawn: number }
  beganAt: Date
  unchanged: number
  skipped: number
}

async function runClaimed(sync: Sync): Promise<SyncOutcome> {
  const { ctx, claim, counts, failed } = sync
  const { source } = claim
  try {
    await runParts(sync)
  } catch (error) {
    if (sync.report.signal.aborted) {
      await store.releaseUnfinished(ctx.db, claim)
      return { source, state: 'Stopped', ...counts }
    }
    failed.set('', describeError(error))
  }
  await sync.report.end()
  const { progress } = sync.report
  const nextInMs = ctx.config.feeds.intervalMinutes[source] * MINUTE_MS
  if (failed.size > 0) {
    const error = failureText(failed)
    ctx.log.error({ source, error }, 'source not fetched completely')
    await store.releaseAfterFailure(ctx.db, claim, { nextInMs, progress, error })
    await recordRun(sync, error)
    return { source, state: 'Failed', ...counts, error }
  }
  const notice = sync.notices.length > 0 ? shortenText(sync.notices.join(' '), 2_000) : undefined
  const released = { nextInMs, progress, at: ctx.now(), notice }
  await store.releaseAfterSuccess(ctx.db, claim, released)
  await recordRun(sync, null)
  await rm(nameFolder(ctx, source), { recursive: true, force: true })
  return { source, state: 'Succeeded', ...counts, ...(notice !== undefined && { notice }) }
}

async function recordRun(sync: Sync, error: string | null): Promise<void> {
  const { ctx, claim, counts, beganAt, unchanged, skipped } = sync
  const { added, changed, withdrawn } = counts
  const counted = { added, changed, unchanged, withdrawn, skipped }
  const run = { kind: 'Sync', beganAt, endedAt: ctx.now(), error, ...counted } as const
  await store.recordRun(ctx.db, claim.source, run)
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const MAX_NAMED_FAILURES = 5

function failureText(failed: ReadonlyMap<string, string>): string {
  const texts = [...failed].map(([name, text]) => (name === '' ? text : `${name}: ${text}`))
  const rest = texts.length - MAX_NAMED_FAILURES
  const named = [...texts.slice(0, MAX_NAMED_FAILURES), ...(rest > 0 ? [`and ${rest} more`] : [])]
  return shortenText(named.join('\n'), 4_000)
}

function nameFolder({ config }: Context, source: FeedSource): string {
  return join(config.dataDir, 'feeds', source)
}

/** When this many parts fail in a row, the server is probably not reachable: the sync ends. */
const MAX_FAILURES_IN_A_ROW = 3

async function runParts(sync: Sync): Promise<void> {
  const { source } = sync.claim
  const known = new Map<string, store.PartState>()
  const refresh = async () => {
    for (const part of await store.listParts(sync.ctx.db, source)) known.set(part.part, part)
  }
  await refresh()
  let inARow = 0
  for await (const part of PUBLISHERS[source](createIo(sync, known))) {
    sync.report.signal.throwIfAborted()
    const isDone = await runPart(sync, part)
    inARow = isDone ? 0 : inARow + 1
    if (inARow === MAX_FAILURES_IN_A_ROW) return
    await refresh()
  }
}

function createIo(sync: Sync, known: ReadonlyMap<string, store.PartState>): FeedIo {
  const { ctx, client, report } = sync
  const folder = nameFolder(ctx, sync.claim.source)
  const { signal } = report
  return {
    settings: ctx.config.feeds,
    parts: known,
    hasFailed: (name) => sync.failed.has(name) || sync.missed.has(name),
    now: ctx.now,
    memory: ctx.memory,
    signal,
    folder,
    fetchFile: async ({ name, ...file }) => {
      const path = join(folder, name ?? nameDownload(file.url))
      const onProgress = (bytes: number, bytesTotal: number | undefined) =>
        report.fetching(bytes, bytesTotal)
      return { ...(await download(client, { ...file, to: path, signal, onProgress })), path }
    },
  }
}

/** Answers whether the part was imported. After a failure the next parts are still tried. */
async function runPart(sync: Sync, part: FeedPart): Promise<boolean> {
  const { ctx, claim, report } = sync
  const attempt = { source: claim.source, name: part.name, at: ctx.now() }
  report.part(part)
  try {
    const fetched = await part.fetch()
    if (fetched.path === undefined) {
      const { notice } = fetched
      if (notice !== undefined) sync.notices.push(notice)
      await store.recordPartChecked(ctx.db, { ...attempt, ...(notice !== undefined && { notice }) })
    } else await importPart(sync, part.name, fetched)
    report.partDone()
    return true
  } catch (error) {
    if (report.signal.aborted) throw error
    const text = describeError(error)
    if (part.isOptional === true) {
      sync.missed.add(part.name)
      sync.notices.push(`${part.name}: ${text}`)
    } else sync.failed.set(part.name, text)
    report.say(`${part.name}: ${text}`)
    await store.recordPartFailure(ctx.db, { ...attempt, error: text })
    return false
  }
}

/** Imports need much memory and processor time: a node runs one at a time, even if it fetches several sources. */
const importTurn = (): { last: Promise<unknown> } => ({ last: Promise.resolve() })

async function importPart(
  sync: Sync,
  name: string,
  fetched: Extract<FetchedPart, { path: string }>,
): Promise<void> {
  const { path, isSnapshot, isWhole = false, marks, notice, withdrawals, complete } = fetched
  const { ctx, claim, request, report, counts } = sync
  const { source } = claim
  const folder = nameFolder(ctx, source)
  await mkdir(folder, { recursive: true })
  const isSmallerAccepted = request.isSmallerAccepted ?? false
  const turn = ctx.memory.of(importTurn)
  report.waiting()
  const work = turn.last.then(() => {
    report.signal.throwIfAborted()
    report.importing()
    return importFeeds(ctx, {
      path,
      source,
      scratch: folder,
      onRecords: (records) => {
        report.signal.throwIfAborted()
        report.imported(records)
      },
      onMerging: report.merging,
      part: { name, isSnapshot, isWhole, marks, isSmallerAccepted, withdrawals, complete },
    })
  })
  turn.last = work.catch(() => undefined)
  const [outcome] = await work
  if (outcome?.error !== undefined) throw new Error(outcome.error)
  for (const said of [notice, outcome?.notice]) if (said !== undefined) sync.notices.push(said)
  counts.parts += 1
  if (outcome) countOutcome(sync, outcome)
  if (path.startsWith(folder)) await rm(path, { recursive: true, force: true })
}

function countOutcome(sync: Sync, { unchanged, skipped, ...outcome }: SourceImport): void {
  for (const count of ['added', 'changed', 'withdrawn'] as const)
    sync.counts[count] += outcome[count]
  sync.unchanged += unchanged
  sync.skipped += skipped
}

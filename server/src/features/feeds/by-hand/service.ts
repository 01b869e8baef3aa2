/** What people of a workspace that keeps the sources do with them: read one now, carry a file in (decision 31). */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { FEED_SOURCES } from '../../../config/feed-settings.ts'
import { findEcosystemName } from '../../../formats/ecosystems.ts'
import type { FeedSource } from '../../../formats/feed-kinds.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { readUpload, type UploadRequest } from '../../../platform/http/upload.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { importFeeds, type SourceImport } from '../../advisories/index.ts'
import { recordAudit } from '../../audit/index.ts'
import { recordRun } from '../store.ts'
import { syncSource } from '../sync-service.ts'
import { ImportAsked, SyncAsked } from './schemas.ts'
import * as store from './store.ts'

/** What the list of sources says besides their state. */
export async function readKeeping(ctx: AppContext, workspaceId: string) {
  const [keepsSources, imports] = await Promise.all([
    store.findKeepsSources(ctx.db, workspaceId),
    store.listImports(ctx.db, workspaceId),
  ])
  const shown = imports.map(({ sources, ...row }) => ({
    ...row,
    sizeBytes: row.sizeBytes,
    sources: (sources ?? []).map(shownCounts),
  }))
  return { keepsSources, imports: shown }
}

function shownCounts(one: SourceImport) {
  const { source, added, changed, unchanged, withdrawn, skipped } = one
  const { skippedReasons, error = null, notice = null } = one
  const reasons = Object.entries(skippedReasons).map(([reason, count]) => ({ reason, count }))
  const counts = { added, changed, unchanged, withdrawn, skipped }
  return { source, ...counts, skippedReasons: reasons, error, notice }
}

async function requireKeeper(ctx: AppContext, workspaceId: string): Promise<void> {
  if (await store.findKeepsSources(ctx.db, workspaceId)) return
  throw new AppError(
    'forbidden',
    'sources-kept-elsewhere',
    'Sources belong to the whole service, and this workspace does not keep them: its operator reads them.',
  )
}

interface AskForSync {
  workspaceId: string
  source: string
  actor: Actor
}

export async function askForSync(ctx: AppContext, { workspaceId, actor, ...input }: AskForSync) {
  const source = FEED_SOURCES.find((one) => one === input.source)
  if (!source) throw notFound('vulnerability source', input.source)
  await requireKeeper(ctx, workspaceId)
  const requestedAt = ctx.now()
  return ctx.db.transaction().execute(async (tx) => {
    if (!(await store.requestSync(tx, { source, at: requestedAt })))
      throw new AppError(
        'conflict',
        'source-being-read',
        `The source ${source} is being read, or somebody asked for it a moment ago.`,
      )
    await ctx.queue.enqueue(tx, SyncAsked, { source })
    const entry = { workspaceId, actor, resourceType: 'vulnerability-source', resourceId: source }
    await recordAudit(ctx, tx, { ...entry, action: 'vulnerability-source.sync' })
    return { source, requestedAt }
  })
}

export async function runSync(
  ctx: AppContext,
  { source }: { source: FeedSource },
  signal: AbortSignal,
): Promise<void> {
  await syncSource(ctx, { source, signal, isByHand: true })
}

interface AskForImport {
  workspaceId: string
  actor: Actor
  request: UploadRequest
  /** Ecosystems of which the file holds all records, parted by commas. */
  complete: string | undefined
}

/** A few wait for each other; a queue of large files would hold the sources for hours. */
const MOST_WAITING = 3

const IMPORT_BLOBS = 'source-imports/'
const nameBlob = (importId: string) => `${IMPORT_BLOBS}${importId}`

/** The keys of the files that rows of a workspace still need. */
export async function listImportFiles(db: Db, workspaceId: string): Promise<string[]> {
  return (await store.listUnfinishedImports(db, workspaceId)).map(nameBlob)
}

/** Deletes files of imports that ended. Rows of files stored after `before` may follow. */
export async function sweepImportFiles(
  { db, blobs }: Pick<AppContext, 'db' | 'blobs'>,
  before: Date,
): Promise<void> {
  for await (const { key, modifiedAt } of blobs.list(IMPORT_BLOBS)) {
    const importId = key.slice(IMPORT_BLOBS.length)
    if (modifiedAt >= before || !isUuid(importId)) continue
    if (!(await store.isImportUnfinished(db, importId))) await blobs.delete(key)
  }
}

function readEcosystems(text = ''): string[] {
  const names = text.split(',').map((name) => name.trim())
  return names.filter(Boolean).map((name) => {
    const known = findEcosystemName(name)
    if (known !== undefined) return known
    const detail = `${name} is not an ecosystem of OSV, such as npm, Maven or Debian.`
    throw new AppError('invalid', 'upload-invalid', detail)
  })
}

export async function askForImport(ctx: AppContext, input: AskForImport) {
  const { workspaceId, actor, request } = input
  const complete = readEcosystems(input.complete)
  await requireKeeper(ctx, workspaceId)
  if ((await store.countUnfinishedImports(ctx.db, workspaceId)) >= MOST_WAITING)
    throw new AppError(
      'conflict',
      'imports-waiting',
      `${MOST_WAITING} files are waiting or being imported. Wait until one of them has ended.`,
    )
  const id = newId()
  const putFile = async (fileName: string, content: Readable) => ({
    fileName,
    ...(await ctx.blobs.put(nameBlob(id), content)),
  })
  const limits = { files: 1, fileBytes: ctx.config.feeds.http.maxBytes }
  const [file] = await readUpload(request, limits, putFile)
  if (!file || file.sizeBytes === 0) {
    await ctx.blobs.delete(nameBlob(id))
    throw new AppError('invalid', 'upload-invalid', 'The file is empty.')
  }
  const { fileName, sizeBytes } = file
  const createdByEmail = actor.email ?? null
  const stored = { workspaceId, id, fileName, sizeBytes, createdAt: ctx.now(), createdByEmail }
  await ctx.db.transaction().execute(async (tx) => {
    await store.insertImport(tx, stored)
    await ctx.queue.enqueue(tx, ImportAsked, { workspaceId, importId: id, complete })
    const entry = { workspaceId, actor, resourceType: 'source-import', resourceId: id }
    const after = { fileName, sizeBytes, ...(complete.length > 0 && { complete }) }
    await recordAudit(ctx, tx, { ...entry, action: 'vulnerability-source.import', after })
  })
  return { id }
}

interface Import extends store.ImportKey {
  complete?: string[]
}

/** Runs again from its beginning when the worker stopped meanwhile: what was imported counts as unchanged then. */
export async function runImport(ctx: AppContext, asked: Import): Promise<void> {
  const { complete = [], ...key } = asked
  const fileName = await store.beginImport(ctx.db, key)
  if (fileName === undefined) return
  const parent = join(ctx.config.dataDir, 'feeds')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'import-'))
  // Archives are told by their ending; the rest of the name is somebody's words.
  const path = join(folder, `file${/^\.\w{1,8}$/.exec(extname(fileName))?.[0] ?? ''}`)
  try {
    await ctx.blobs.download(nameBlob(key.importId), path)
    const sources = await importFile(ctx, key, { path, complete })
    await store.endImport(ctx.db, key, { endedAt: ctx.now(), sources })
  } catch (error) {
    // What is wrong with the file stays wrong. Everything else is tried again.
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error
    const text = error.message.replaceAll(path, fileName)
    await store.endImport(ctx.db, key, { endedAt: ctx.now(), error: text })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  await ctx.blobs.delete(nameBlob(key.importId))
}

async function importFile(
  ctx: AppContext,
  key: store.ImportKey,
  file: { path: string; complete: readonly string[] },
): Promise<SourceImport[]> {
  const beganAt = ctx.now()
  let isWriting = false
  const onProgress = (text: string) => {
    if (isWriting) return
    isWriting = true
    // A line of progress that is lost is followed by another.
    void store
      .recordImportProgress(ctx.db, key, text)
      .catch(() => undefined)
      .finally(() => (isWriting = false))
  }
  const sources = await importFeeds(ctx, { ...file, onProgress })
  const endedAt = ctx.now()
  for (const { source, error = null, ...counts } of sources) {
    const { added, changed, unchanged, withdrawn, skipped } = counts
    const counted = { added, changed, unchanged, withdrawn, skipped }
    await recordRun(ctx.db, source, { kind: 'Import', beganAt, endedAt, error, ...counted })
  }
  return sources
}

/** The last try failed, too. */
export async function giveUpImport(ctx: AppContext, key: store.ImportKey): Promise<void> {
  const error = 'The file could not be imported; the log of the service says why.'
  await store.endImport(ctx.db, key, { endedAt: ctx.now(), error })
  await ctx.blobs.delete(nameBlob(key.importId))
}

/**
 * Parsing an uploaded SBOM, and linking it with the SPDX documents of its firmware version that refer to each other.
 * Use cases of this slice like those in service.ts; apart from it because they run in jobs only.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChildFailure } from '../../platform/child-pool.ts'
import type { AppContext } from '../../platform/context.ts'
import { isDataException, type Tx } from '../../platform/db/connect.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { blobKey } from './blob-key.ts'
import type { ParserMessage, SbomSummary } from './parser-messages.ts'
import { SbomParsed } from './schemas.ts'
import type { OnInventoryChanged } from './service.ts'
import * as store from './store.ts'

type ParserMessages = AsyncGenerator<ParserMessage, undefined, undefined>

/** Grows with every change of the parsers that may give other components for the same bytes. */
const PARSER_VERSION = 1

interface SbomGroup {
  workspaceId: string
  firmwareVersionId: string
  /** The SBOM to be parsed; undefined when only links are made anew. */
  target: string | undefined
  onInventoryChanged: OnInventoryChanged
}

export async function parseSbom(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
  onInventoryChanged: OnInventoryChanged,
): Promise<void> {
  const sbom = await store.findSbom(ctx.db, workspaceId, sbomId)
  // Deleted, or parsed by an earlier run of this job.
  if (sbom?.parsingState !== 'InProgress') return
  const { firmwareVersionId } = sbom
  try {
    await parseGroup(ctx, { workspaceId, firmwareVersionId, target: sbomId, onInventoryChanged })
  } catch (error) {
    const parsingError = faultOfInput(ctx, error)
    if (parsingError === undefined) throw error
    await store.updateSbomAsFailed(ctx.db, {
      workspaceId,
      sbomId,
      parsingError,
      parsedAt: ctx.now(),
    })
  }
}

/** Makes the links between the documents of a firmware version anew, after one of them has left. */
export async function relinkSboms(
  ctx: AppContext,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
  onInventoryChanged: OnInventoryChanged,
): Promise<void> {
  await parseGroup(ctx, { workspaceId, firmwareVersionId, target: undefined, onInventoryChanged })
}

/** The last retry has failed too: people see that it failed, and may upload the same bytes again. */
export async function giveUpParsing(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
): Promise<void> {
  const parsingError =
    'The file could not be parsed because of a fault on our side; the service log tells more. Upload it again to retry.'
  await store.updateSbomAsFailed(ctx.db, { workspaceId, sbomId, parsingError, parsedAt: ctx.now() })
}

/** The document itself is at fault; the message is for the engineer whose build wrote it. */
class UnreadableSbom extends Error {
  override readonly name = 'UnreadableSbom'
}

/** What the input did wrong; undefined when the failure is ours and worth a retry. */
function faultOfInput({ config }: AppContext, error: unknown): string | undefined {
  if (error instanceof UnreadableSbom) return error.message
  if (isDataException(error))
    return `The document holds a value that cannot be stored: ${error.message}.`
  if (!(error instanceof ChildFailure)) return undefined
  const { parserHeapMegabytes, parseSeconds } = config.sboms
  switch (error.reason) {
    case 'memory':
      return `Parsing the document needs more than the ${parserHeapMegabytes} MiB of memory it may use.`
    case 'time':
      return `Parsing the document takes longer than the ${parseSeconds} s it may take.`
    case 'crash':
      return undefined
  }
}

/** Thrown to start over: another SBOM of the version came or went while this one was parsed. */
class GroupChanged extends Error {
  override readonly name = 'GroupChanged'
}

async function parseGroup(ctx: AppContext, group: SbomGroup): Promise<void> {
  for (;;) {
    try {
      await tryParseGroup(ctx, group)
      return
    } catch (error) {
      if (!(error instanceof GroupChanged)) throw error
    }
  }
}

async function tryParseGroup(ctx: AppContext, group: SbomGroup): Promise<void> {
  const { workspaceId, firmwareVersionId, target } = group
  const linkable = await store.listLinkableSboms(ctx.db, workspaceId, firmwareVersionId)
  const known = linkable.filter(({ id }) => id !== target)
  const referring = known.filter(({ hasExternalReferences }) => hasExternalReferences)
  if (target === undefined) {
    if (referring.length > 0) await parseMembers(ctx, group, { others: known, known })
    return
  }
  // Whether the target itself refers to others is known only once it was read.
  const complete = await parseMembers(ctx, group, { others: referring, known })
  if (!complete) await parseMembers(ctx, group, { others: known, known })
}

interface Members {
  /** Parsed together with the target. */
  others: readonly store.LinkableSbom[]
  /** All other documents of the version that could be linked with it, as of now. */
  known: readonly store.LinkableSbom[]
}

/** False when the target turned out to refer to documents that were not among its fellows. */
async function parseMembers(
  ctx: AppContext,
  group: SbomGroup,
  { others, known }: Members,
): Promise<boolean> {
  const { workspaceId, firmwareVersionId, target } = group
  const ids = [...(target === undefined ? [] : [target]), ...others.map(({ id }) => id)]
  const keys = ids.map((sbomId) => blobKey({ workspaceId, firmwareVersionId, sbomId }))
  return withLocalFiles(ctx, keys, async (paths) => {
    const { limits, parseSeconds } = ctx.config.sboms
    const messages = ctx.parsers.run({ paths, limits }, parseSeconds) as ParserMessages
    try {
      const { value: summary } = await messages.next()
      if (!summary) throw new Error('the parser answered nothing')
      if (summary.type === 'failed') throw new UnreadableSbom(summary.message)
      if (summary.type !== 'summary') throw new Error(`the parser began with ${summary.type}`)
      const alone = others.length < known.length
      if (target !== undefined && alone && summary.sboms[0]?.hasExternalReferences === true)
        return false
      const next = await writePackages(ctx, messages)
      await ctx.db
        .transaction()
        .execute((tx) =>
          writeInventory(ctx, tx, { group, ids, known, sboms: summary.sboms, next, messages }),
        )
      return true
    } finally {
      await messages.return(undefined)
    }
  })
}

/** Packages are shared by all workspaces and commit first, in id order; answers the first message after them. */
async function writePackages(ctx: AppContext, messages: ParserMessages) {
  for (;;) {
    const { value, done } = await messages.next()
    if (done === true || value.type !== 'packages') return done === true ? undefined : value
    await store.insertPackages(ctx.db, value.rows, ctx.now())
  }
}

interface Inventory {
  group: SbomGroup
  /** The SBOMs parsed, in the order of the parser's file numbers. */
  ids: readonly string[]
  known: readonly store.LinkableSbom[]
  sboms: readonly SbomSummary[]
  next: ParserMessage | undefined
  messages: ParserMessages
}

async function writeInventory(ctx: AppContext, tx: Tx, inventory: Inventory): Promise<void> {
  const { group, ids, known, sboms, messages } = inventory
  const { workspaceId, firmwareVersionId, target } = group
  if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
  const sbom = target === undefined ? undefined : await store.findSbom(tx, workspaceId, target)
  // Deleted while it was parsed: nothing is written.
  if (target !== undefined && sbom?.parsingState !== 'InProgress') return
  const present = await store.listLinkableSboms(tx, workspaceId, firmwareVersionId)
  const expected = new Set(known.map(({ id }) => id))
  if (present.length !== expected.size || present.some(({ id }) => !expected.has(id)))
    throw new GroupChanged('another SBOM came or went')
  for (const sbomId of ids) await store.deleteGraphNodes(tx, workspaceId, sbomId)
  if (target !== undefined) await store.deleteComponents(tx, workspaceId, target)
  for (let message = inventory.next; message; message = (await messages.next()).value ?? undefined)
    await writeRows(tx, message, { workspaceId, ids, target })
  const [summary] = sboms
  if (target !== undefined && summary) {
    const row = { workspaceId, sbomId: target, parsedAt: ctx.now(), parserVersion: PARSER_VERSION }
    await store.updateSbomAsSucceeded(tx, { ...row, ...summary })
    await ctx.queue.enqueue(tx, SbomParsed, { workspaceId, sbomId: target })
  }
  const cause = target === undefined ? 'SbomDeleted' : 'SbomParsed'
  await group.onInventoryChanged(ctx, tx, { workspaceId, firmwareVersionId, cause })
}

interface Destination {
  workspaceId: string
  ids: readonly string[]
  target: string | undefined
}

async function writeRows(
  tx: Tx,
  message: ParserMessage,
  { workspaceId, ids, target }: Destination,
): Promise<void> {
  if (message.type !== 'components' && message.type !== 'nodes')
    throw new Error(`the parser sent ${message.type} among the rows`)
  const sbomId = ids[message.file]
  if (sbomId === undefined) throw new Error(`the parser named file ${message.file}`)
  if (message.type === 'nodes')
    await store.insertGraphNodes(tx, { workspaceId, sbomId, rows: message.rows })
  else if (sbomId === target)
    await store.insertComponents(tx, { workspaceId, sbomId, rows: message.rows })
  else await store.updateComponentPackages(tx, { workspaceId, sbomId, rows: message.rows })
}

/** Blobs as files: where they lie, or copies that are gone afterwards. */
async function withLocalFiles<Result>(
  { blobs }: AppContext,
  keys: readonly string[],
  use: (paths: string[]) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-parse-'))
  try {
    const paths = await Promise.all(
      keys.map(async (key, index) => {
        const local = blobs.localPath(key)
        if (local !== undefined) return local
        const copy = join(folder, String(index))
        await blobs.download(key, copy)
        return copy
      }),
    )
    return await use(paths)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

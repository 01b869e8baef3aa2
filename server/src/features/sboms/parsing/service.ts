/**
 * Parsing an uploaded SBOM, and linking it with the SPDX documents of its firmware version that refer to each other.
 * Use cases of this slice like those in service.ts; apart from it because they run in jobs only.
 */
import { IDENTITY_RULES_VERSION } from '../../../formats/identity.ts'
import type { SbomStatement } from '../../../formats/sboms/model.ts'
import { withLocalFiles } from '../../../platform/blobs/local-files.ts'
import { ChildFailure } from '../../../platform/child-pool.ts'
import type { AppContext } from '../../../platform/context.ts'
import { type Db, isDataException, type Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { lockFirmwareVersion } from '../../firmware/index.ts'
import { blobKey } from '../blob-key.ts'
import { type Linkable, linkedGroups, linkedWith } from './linked-documents.ts'
import { holdOverrides, type OverridesInForce, readOverrides } from '../package-overrides/store.ts'
import type { ParserMessage, ParseTask, SbomSummary } from './parser-messages.ts'
import { SbomParsed, SourceFilesChanged } from '../schemas.ts'
import type { OnInventoryChanged } from '../service.ts'
import {
  deleteDeclaredLists,
  haveDeclaredLists,
  insertDeclaredLists,
} from '../source-files/store.ts'
import { findSbom } from '../store.ts'
import * as store from './store.ts'

type ParserMessages = AsyncGenerator<ParserMessage, undefined, undefined>

/** Grows with every change of the parsers that may give other components for the same bytes. */
export const PARSER_VERSION = 2

interface SbomGroup {
  workspaceId: string
  firmwareVersionId: string
  /** The SBOM to be parsed; undefined when only links are made anew. */
  target: string | undefined
  /** The target was parsed before: its inventory stays in force until the new one is written. */
  isAgain?: boolean
  onInventoryChanged: OnInventoryChanged
}

export async function parseSbom(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
  onInventoryChanged: OnInventoryChanged,
): Promise<void> {
  const sbom = await findSbom(ctx.db, workspaceId, sbomId)
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

/** Makes the components of an SBOM anew from the stored file, after the parsers have changed. */
export async function reparseSbom(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
  onInventoryChanged: OnInventoryChanged,
): Promise<void> {
  const sbom = await findSbom(ctx.db, workspaceId, sbomId)
  if (sbom?.parsingState !== 'Succeeded') return
  const { firmwareVersionId } = sbom
  try {
    // A parser that does not find its file could only crash.
    const content = await ctx.blobs.get(blobKey({ workspaceId, firmwareVersionId, sbomId }))
    content.destroy()
    const group = { workspaceId, firmwareVersionId, target: sbomId, isAgain: true }
    await parseGroup(ctx, { ...group, onInventoryChanged })
  } catch (error) {
    const isMissing = error instanceof AppError && error.code === 'blob-not-found'
    const fault = isMissing ? error.message : faultOfInput(ctx, error)
    if (fault === undefined) throw error
    const warning = `The components are those an earlier version of the parser found; this one says: ${fault}`
    const row = { workspaceId, sbomId, parserVersion: PARSER_VERSION, warning }
    await store.updateSbomAsKept(ctx.db, row)
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
  if (group.target !== undefined) {
    // With which others it has to be linked is known only once it was read.
    const missing = await parseTogether(ctx, group, [])
    if (missing && (await parseTogether(ctx, group, missing)))
      throw new GroupChanged('another SBOM came or went')
    return
  }
  for (const members of linkedGroups(await listOthers(ctx.db, group)))
    if (await parseTogether(ctx, group, members))
      throw new GroupChanged('another SBOM came or went')
}

async function listOthers(db: Db, { workspaceId, firmwareVersionId, target }: SbomGroup) {
  const sboms = await store.listLinkableSboms(db, workspaceId, firmwareVersionId)
  return sboms.filter(({ id }) => id !== target)
}

/** Parses the target with these others and writes all; or answers which others it would have taken. */
async function parseTogether(
  ctx: AppContext,
  group: SbomGroup,
  others: readonly Linkable[],
): Promise<Linkable[] | undefined> {
  const { workspaceId, firmwareVersionId, target } = group
  const ids = [...(target === undefined ? [] : [target]), ...others.map(({ id }) => id)]
  const keys = ids.map((sbomId) => blobKey({ workspaceId, firmwareVersionId, sbomId }))
  return withLocalFiles(ctx.blobs, keys, async (paths) => {
    const { limits, parseSeconds } = ctx.config.sboms
    const inForce = await readOverrides(ctx.db, workspaceId)
    const task: ParseTask = { paths, limits, overrides: inForce.overrides }
    const messages = ctx.parsers.run(task, parseSeconds) as ParserMessages
    try {
      const sboms = await readSummary(messages)
      const linked = await findLinked(ctx.db, group, sboms)
      if (!areSame(linked, others)) return linked
      const next = await writePackages(ctx, messages)
      const inventory = { group, others, ids, sboms, inForce, next, messages }
      await ctx.db.transaction().execute((tx) => writeInventory(ctx, tx, inventory))
      return undefined
    } finally {
      await messages.return(undefined)
    }
  })
}

async function readSummary(messages: ParserMessages): Promise<SbomSummary[]> {
  const { value } = await messages.next()
  if (value?.type === 'failed') throw new UnreadableSbom(value.message)
  if (value?.type !== 'summary')
    throw new Error(`the parser began with ${value?.type ?? 'nothing'}`)
  return value.sboms
}

async function findLinked(db: Db, group: SbomGroup, sboms: readonly SbomSummary[]) {
  const [own] = sboms
  return own ? linkedWith(own, await listOthers(db, group)) : []
}

function areSame(some: readonly Linkable[], others: readonly Linkable[]): boolean {
  const ids = new Set(others.map(({ id }) => id))
  return some.length === ids.size && some.every(({ id }) => ids.has(id))
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
  /** Those parsed besides the target. */
  others: readonly Linkable[]
  /** The SBOMs parsed, in the order of the parser's file numbers. */
  ids: readonly string[]
  sboms: readonly SbomSummary[]
  inForce: OverridesInForce
  next: ParserMessage | undefined
  messages: ParserMessages
}

async function writeInventory(ctx: AppContext, tx: Tx, inventory: Inventory): Promise<void> {
  const { group, others, ids, sboms, messages } = inventory
  const { workspaceId, firmwareVersionId, target } = group
  if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
  const sbom = target === undefined ? undefined : await findSbom(tx, workspaceId, target)
  // Deleted while it was parsed: nothing is written.
  const expected = group.isAgain === true ? 'Succeeded' : 'InProgress'
  if (target !== undefined && sbom?.parsingState !== expected) return
  // Under the lock: what came or went meanwhile would be missing, or linked to what is gone.
  if (!areSame(await findLinked(tx, group, sboms), others))
    throw new GroupChanged('another SBOM came or went')
  if ((await holdOverrides(tx, workspaceId)) !== inventory.inForce.revision)
    throw new GroupChanged('the overrides of the workspace changed')
  for (const sbomId of ids) await store.deleteGraphNodes(tx, workspaceId, sbomId)
  await deleteDeclaredLists(tx, workspaceId, ids)
  const destination: Destination = { workspaceId, ids, target, statements: [] }
  for (let message = inventory.next; message; message = (await messages.next()).value ?? undefined)
    await writeRows(tx, message, destination)
  await store.updateNotMatched(tx, workspaceId, ids)
  await writeOutcome(ctx, tx, inventory)
  if (await haveDeclaredLists(tx, workspaceId, ids))
    await ctx.queue.enqueue(tx, SourceFilesChanged, { workspaceId, firmwareVersionId })
  const { statements } = destination
  await group.onInventoryChanged(ctx, tx, {
    workspaceId,
    firmwareVersionId,
    cause: causeOf(group),
    ...(target !== undefined && { parsed: { sbomId: target, statements } }),
  })
}

async function writeOutcome(ctx: AppContext, tx: Tx, { group, sboms }: Inventory): Promise<void> {
  const { workspaceId, target: sbomId, isAgain = false } = group
  const [summary] = sboms
  if (sbomId === undefined || !summary) return
  await store.deleteComponentsFrom(tx, { workspaceId, sbomId, node: summary.componentCount })
  await store.updateSbomAsSucceeded(tx, {
    workspaceId,
    sbomId,
    parsedAt: ctx.now(),
    parserVersion: PARSER_VERSION,
    identityVersion: IDENTITY_RULES_VERSION,
    ...summary,
  })
  if (!isAgain) await ctx.queue.enqueue(tx, SbomParsed, { workspaceId, sbomId })
}

function causeOf({ target, isAgain = false }: SbomGroup): string {
  if (target === undefined) return 'SbomDeleted'
  return isAgain ? 'RulesChanged' : 'SbomParsed'
}

interface Destination {
  workspaceId: string
  ids: readonly string[]
  target: string | undefined
  /** Takes the statements of the target. */
  statements: SbomStatement[]
}

async function writeRows(
  tx: Tx,
  message: ParserMessage,
  { workspaceId, ids, target, statements }: Destination,
): Promise<void> {
  if (message.type === 'summary' || message.type === 'packages' || message.type === 'failed')
    throw new Error(`the parser sent ${message.type} among the rows`)
  const sbomId = ids[message.file]
  if (sbomId === undefined) throw new Error(`the parser named file ${message.file}`)
  if (message.type === 'statements') {
    if (sbomId === target) statements.push(...message.rows)
  } else if (message.type === 'nodes')
    await store.insertGraphNodes(tx, { workspaceId, sbomId, rows: message.rows })
  else if (message.type === 'sourceFiles')
    await insertDeclaredLists(tx, { workspaceId, sbomId, rows: message.rows })
  else if (sbomId === target)
    await store.insertComponents(tx, { workspaceId, sbomId, rows: message.rows })
  else await store.updateComponentPackages(tx, { workspaceId, sbomId, rows: message.rows })
}

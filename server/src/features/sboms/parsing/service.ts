/** Jobs that parse an uploaded SBOM and link it with other documents of its firmware version. */
import { IDENTITY_RULES_VERSION } from '../../../formats/identity.ts'
import type { SbomStatement } from '../../../formats/sboms/model.ts'
import { withLocalFiles } from '../../../platform/blobs/local-files.ts'
import { ChildFailure } from '../../../platform/child-pool.ts'
import type { AppContext } from '../../../platform/context.ts'
import { type Db, isDataException, type Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { lockFirmwareVersion } from '../../firmware/index.ts'
import { blobKey } from '../stored-file.ts'
import { type Linkable, linkedGroups, linkedWith } from './linked-documents.ts'
import {
  lockOverrides,
  type OverrideSnapshot,
  readOverrides,
  updateMadeFor,
} from '../package-overrides/store.ts'
import type { ParserMessage, ParseTask, SbomSummary } from './parser-messages.ts'
import { SbomParsed, SourceFilesChanged } from '../schemas.ts'
import {
  deleteDeclaredLists,
  haveDeclaredLists,
  insertDeclaredLists,
} from '../source-files/store.ts'
import { findSbom } from '../store.ts'
import * as store from './store.ts'

type ParserMessages = AsyncGenerator<ParserMessage, undefined, undefined>

/** Raised with each change of the parsers that may find other components in the same file. */
export const PARSER_VERSION = 4

interface SbomGroup {
  workspaceId: string
  firmwareVersionId: string
  /** The SBOM to parse. Undefined when documents are only linked again. */
  target: string | undefined
  /** The target was parsed before: its inventory stays until the new one is written. */
  isAgain?: boolean
}

export async function parseSbom(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
): Promise<void> {
  const sbom = await findSbom(ctx.db, workspaceId, sbomId)
  // The SBOM is deleted, or an earlier run of this job has parsed it.
  if (sbom?.parsingState !== 'InProgress') return
  const { firmwareVersionId } = sbom
  try {
    await parseGroup(ctx, { workspaceId, firmwareVersionId, target: sbomId })
  } catch (error) {
    const parsingError = inputFault(ctx, error)
    if (parsingError === undefined) throw error
    await store.updateSbomAsFailed(ctx.db, {
      workspaceId,
      sbomId,
      parsingError,
      parsedAt: ctx.now(),
    })
  }
}

/** Parses the stored file again after the parsers have changed. */
export async function reparseSbom(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
): Promise<void> {
  const sbom = await findSbom(ctx.db, workspaceId, sbomId)
  if (sbom?.parsingState !== 'Succeeded') return
  const { firmwareVersionId } = sbom
  try {
    // Fails early if the file is missing: the parser process would crash.
    const content = await ctx.blobs.get(blobKey({ workspaceId, firmwareVersionId, sbomId }))
    content.destroy()
    const group = { workspaceId, firmwareVersionId, target: sbomId, isAgain: true }
    await parseGroup(ctx, group)
  } catch (error) {
    const isMissing = error instanceof AppError && error.code === 'blob-not-found'
    const fault = isMissing ? error.message : inputFault(ctx, error)
    if (fault === undefined) throw error
    const warning = `The components are from an earlier version of the parser. The present version reports: ${fault}`
    const row = { workspaceId, sbomId, parserVersion: PARSER_VERSION, warning }
    await store.updateSbomWithWarning(ctx.db, row)
  }
}

/** Links the documents of a firmware version again after one of them was deleted. */
export async function relinkSboms(
  ctx: AppContext,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<void> {
  await parseGroup(ctx, { workspaceId, firmwareVersionId, target: undefined })
}

/** Called after the last retry: the SBOM shows as failed, and the same file can be uploaded again. */
export async function giveUpParsing(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
): Promise<void> {
  const parsingError =
    'The file could not be parsed because of an internal error; the service log has details. Upload the file again to retry.'
  await store.updateSbomAsFailed(ctx.db, { workspaceId, sbomId, parsingError, parsedAt: ctx.now() })
}

/** The document is at fault. The message is for the engineer whose build wrote the document. */
class UnreadableSbom extends Error {
  override readonly name = 'UnreadableSbom'
}

/** The fault of the input. Undefined for an internal error, after which the job is retried. */
function inputFault({ config }: AppContext, error: unknown): string | undefined {
  if (error instanceof UnreadableSbom) return error.message
  if (isDataException(error))
    return `The document contains a value that cannot be stored: ${error.message}.`
  if (!(error instanceof ChildFailure)) return undefined
  const { parserHeapMegabytes, parseSeconds } = config.sboms
  switch (error.reason) {
    case 'memory':
      return `Parsing the document needs more than the allowed ${parserHeapMegabytes} MiB of memory.`
    case 'time':
      return `Parsing the document takes longer than the allowed ${parseSeconds} s.`
    case 'crash':
      return undefined
  }
}

/** Thrown to start again: another SBOM of the version was added or deleted meanwhile. */
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
    // Only parsing shows with which others it has to be linked.
    const missing = await parseTogether(ctx, group, [])
    if (missing && (await parseTogether(ctx, group, missing)))
      throw new GroupChanged('another SBOM was added or deleted')
    return
  }
  for (const members of linkedGroups(await listOthers(ctx.db, group)))
    if (await parseTogether(ctx, group, members))
      throw new GroupChanged('another SBOM was added or deleted')
}

async function listOthers(db: Db, { workspaceId, firmwareVersionId, target }: SbomGroup) {
  const sboms = await store.listLinkableSboms(db, workspaceId, firmwareVersionId)
  return sboms.filter(({ id }) => id !== target)
}

/** Parses the target with these others and writes everything. Answers the right others instead, if these are not. */
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
    const overrides = await readOverrides(ctx.db, workspaceId)
    const task: ParseTask = { paths, limits, overrides: overrides.overrides }
    const messages = ctx.parsers.run(task, parseSeconds) as ParserMessages
    try {
      const sboms = await readSummary(messages)
      const linked = await findLinked(ctx.db, group, sboms)
      if (!areSame(linked, others)) return linked
      const next = await writePackages(ctx, messages)
      const inventory = { group, others, ids, sboms, overrides, next, messages }
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

/** Writes packages, which all workspaces share, in their own transactions and in id order. Answers the next message. */
async function writePackages(ctx: AppContext, messages: ParserMessages) {
  for (;;) {
    const { value, done } = await messages.next()
    if (done === true || value.type !== 'packages') return done === true ? undefined : value
    await store.insertPackages(ctx.db, value.rows, ctx.now())
  }
}

interface Inventory {
  group: SbomGroup
  /** The SBOMs parsed together with the target. */
  others: readonly Linkable[]
  /** The SBOMs parsed, in the order of the parser's file numbers. */
  ids: readonly string[]
  sboms: readonly SbomSummary[]
  overrides: OverrideSnapshot
  next: ParserMessage | undefined
  messages: ParserMessages
}

/** Answers false if the firmware version or the SBOM was deleted meanwhile. */
async function lockGroup(
  tx: Tx,
  { workspaceId, firmwareVersionId, target, isAgain = false }: SbomGroup,
): Promise<boolean> {
  if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return false
  if (target === undefined) return true
  const sbom = await findSbom(tx, workspaceId, target)
  return sbom?.parsingState === (isAgain ? 'Succeeded' : 'InProgress')
}

async function writeInventory(ctx: AppContext, tx: Tx, inventory: Inventory): Promise<void> {
  const { group, others, ids, sboms, messages } = inventory
  const { workspaceId, firmwareVersionId, target } = group
  if (!(await lockGroup(tx, group))) return
  // Checked under the lock: an SBOM that was added or deleted meanwhile changes the links.
  if (!areSame(await findLinked(tx, group, sboms), others))
    throw new GroupChanged('another SBOM was added or deleted')
  if ((await lockOverrides(tx, workspaceId)) !== inventory.overrides.revision)
    throw new GroupChanged('the overrides of the workspace changed')
  for (const sbomId of ids) await store.deleteGraphNodes(tx, workspaceId, sbomId)
  await deleteDeclaredLists(tx, workspaceId, ids)
  const destination: Destination = { workspaceId, ids, target, statements: [] }
  for (let message = inventory.next; message; message = (await messages.next()).value ?? undefined)
    await writeRows(tx, message, destination)
  await store.updateNotMatched(tx, workspaceId, ids)
  await updateMadeFor(tx, workspaceId)
  await writeOutcome(ctx, tx, inventory)
  if (await haveDeclaredLists(tx, workspaceId, ids))
    await ctx.queue.enqueue(tx, SourceFilesChanged, { workspaceId, firmwareVersionId })
  const { statements } = destination
  await ctx.reactions.inventoryChanged(ctx, tx, {
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
  /** Collects the statements of the target. */
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

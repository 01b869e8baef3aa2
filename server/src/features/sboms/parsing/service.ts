/** Jobs that parse an uploaded SBOM and link it with other documents of its firmware version. */
import { IDENTITY_RULES_VERSION } from '../../../formats/identity.ts'
import type { SbomStatement } from '../../../formats/sboms/model.ts'
import { withLocalFiles } from '../../../platform/blobs/local-files.ts'
import { type AppContext, preferOthers } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { lockFirmwareVersion } from '../../firmware/index.ts'
import { nameSbomBlob } from '../stored-file.ts'
import { failSbom, findInputFault, isOutOfTime } from '../failures/service.ts'
import {
  areSame,
  type Linkable,
  groupLinkedDocuments,
  listLinkedDocuments,
} from './linked-documents.ts'
import {
  lockOverrides,
  type OverrideSnapshot,
  readOverrides,
  updateMadeFor,
} from '../package-overrides/store.ts'
import {
  type ParserMessage,
  type ParserMessages,
  type ParseTask,
  readSummary,
  type SbomSummary,
  StoringTooSlow,
} from './parser-messages.ts'
import { isReplacedBy } from '../replacement/rules.ts'
import { settleUploads } from '../replacement/service.ts'
import { stageSbom } from '../replacement/store.ts'
import { SourceFilesChanged } from '../schemas.ts'
import * as sourceFiles from '../source-files/store.ts'
import { findSbom } from '../store.ts'
import { enqueueParsing } from '../uploads/service.ts'
import * as store from './store.ts'

/** Raised with each change of the parsers that may find other components in the same file. */
export const PARSER_VERSION = 9

interface SbomGroup {
  workspaceId: string
  firmwareVersionId: string
  /** The SBOM to parse. Undefined when documents are only linked again. */
  target: string | undefined
  /** The target was parsed before: its inventory stays until the new one is written. */
  isAgain?: boolean
  /** Small documents have a process of their own, with a short limit of time: large ones do not delay them. */
  isSmall?: boolean
}

interface SbomToParse {
  workspaceId: string
  sbomId: string
  isLastTry?: boolean
}

/** A document that takes too long is tried once more: the machine may have had too much to do. */
export function parseSbom(ctx: AppContext, { isLastTry = false, ...sbom }: SbomToParse) {
  return parse(preferOthers(ctx), { ...sbom, isSmall: false, isLastTry })
}

/** A document of few bytes may still be much, as when it is compressed: then it waits its turn with the large ones. */
export function parseSmallSbom(ctx: AppContext, sbom: Omit<SbomToParse, 'isLastTry'>) {
  return parse(ctx, { ...sbom, isSmall: true, isLastTry: false })
}

async function parse(
  ctx: AppContext,
  { workspaceId, sbomId, isSmall, isLastTry }: Required<SbomToParse> & { isSmall: boolean },
): Promise<void> {
  const sbom = await findSbom(ctx.db, workspaceId, sbomId)
  // The SBOM is deleted, or an earlier run of this job has parsed it.
  if (sbom?.parsingState !== 'InProgress' || sbom.isStaged) return
  const { firmwareVersionId, sizeBytes } = sbom
  try {
    await parseGroup(ctx, { workspaceId, firmwareVersionId, target: sbomId, isSmall })
  } catch (error) {
    if (isOutOfTime(error) && !isLastTry) {
      const again = { workspaceId, sbomId, sizeBytes, isSmall: false, isLastTry: !isSmall }
      await ctx.db.transaction().execute((tx) => enqueueParsing(ctx, tx, again))
      return
    }
    const parsingError = findInputFault(ctx, error)
    if (parsingError === undefined) throw error
    await failSbom(ctx, { workspaceId, firmwareVersionId, sbomId, parsingError })
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
    const content = await ctx.blobs.get(nameSbomBlob({ workspaceId, firmwareVersionId, sbomId }))
    content.destroy()
    const group = { workspaceId, firmwareVersionId, target: sbomId, isAgain: true }
    await parseGroup(preferOthers(ctx), group)
  } catch (error) {
    const isMissing = error instanceof AppError && error.code === 'blob-not-found'
    const fault = isMissing ? error.message : findInputFault(ctx, error)
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
  await parseGroup(preferOthers(ctx), { workspaceId, firmwareVersionId, target: undefined })
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
  for (const members of groupLinkedDocuments(await listOthers(ctx.db, group)))
    if (await parseTogether(ctx, group, members))
      throw new GroupChanged('another SBOM was added or deleted')
}

/** Those that count beside the target: not what it replaces, and of its own upload also what only waits to count. */
async function listOthers(
  db: Db,
  { workspaceId, firmwareVersionId, target }: SbomGroup,
  namespace?: string,
) {
  const sboms = await store.listLinkableSboms(db, workspaceId, firmwareVersionId)
  const own = sboms.find(({ id }) => id === target)
  const named = own && { ...own, namespace: namespace ?? null }
  return sboms.filter(
    (sbom) =>
      sbom.id !== target &&
      (sbom.parsingState === 'Succeeded' ||
        (sbom.isStaged && sbom.uploadNumber === own?.uploadNumber)) &&
      !(named && isReplacedBy(named, sbom)),
  )
}

/** As long as a small document may take, storing included. */
const SMALL_SECONDS = 15

/** Parses the target with these others and writes everything. Answers the right others instead, if these are not. */
async function parseTogether(
  ctx: AppContext,
  group: SbomGroup,
  others: readonly Linkable[],
): Promise<Linkable[] | undefined> {
  const { workspaceId, firmwareVersionId, target } = group
  const ids = [...(target === undefined ? [] : [target]), ...others.map(({ id }) => id)]
  const keys = ids.map((sbomId) => nameSbomBlob({ workspaceId, firmwareVersionId, sbomId }))
  return withLocalFiles(ctx.blobs, keys, async (paths) => {
    const { limits, parseSeconds } = ctx.config.sboms
    const overrides = await readOverrides(ctx.db, workspaceId)
    const task: ParseTask = { paths, limits, overrides: overrides.overrides }
    const seconds = group.isSmall ? Math.min(SMALL_SECONDS, parseSeconds) : parseSeconds
    const messages = ctx.parsers.run(task, seconds, { isShort: group.isSmall }) as ParserMessages
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

async function findLinked(db: Db, group: SbomGroup, sboms: readonly SbomSummary[]) {
  const [own] = sboms
  return own ? listLinkedDocuments(own, await listOthers(db, group, own.namespace)) : []
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
  return sbom?.parsingState === (isAgain ? 'Succeeded' : 'InProgress') && !sbom.isStaged
}

async function writeInventory(ctx: AppContext, tx: Tx, inventory: Inventory): Promise<void> {
  const { group, others, ids, sboms, messages } = inventory
  const { workspaceId, firmwareVersionId, target } = group
  const { storeSeconds } = ctx.config.sboms
  const endsAt = performance.now() + storeSeconds * 1000
  await store.limitStatements(tx, storeSeconds)
  if (!(await lockGroup(tx, group))) return
  // Checked under the lock: an SBOM that was added or deleted meanwhile changes the links.
  if (!areSame(await findLinked(tx, group, sboms), others))
    throw new GroupChanged('another SBOM was added or deleted')
  if ((await lockOverrides(tx, workspaceId)) !== inventory.overrides.revision)
    throw new GroupChanged('the overrides of the workspace changed')
  for (const sbomId of ids) await store.deleteGraphNodes(tx, workspaceId, sbomId)
  await sourceFiles.deleteDeclaredLists(tx, workspaceId, ids)
  const destination: Destination = { workspaceId, ids, target, statements: [], at: ctx.now() }
  for (
    let message = inventory.next;
    message;
    message = (await messages.next()).value ?? undefined
  ) {
    if (performance.now() > endsAt) throw new StoringTooSlow()
    await writeRows(tx, message, destination)
  }
  await store.updateNotMatched(tx, workspaceId, ids)
  await updateMadeFor(tx, workspaceId)
  await writeOutcome(ctx, tx, inventory)
  if (await sourceFiles.haveDeclaredLists(tx, workspaceId, ids))
    await ctx.queue.enqueue(tx, SourceFilesChanged, { workspaceId, firmwareVersionId })
  await count(ctx, tx, group, destination.statements)
}

/** From now on the target counts, with all others of its version that linking changed. */
async function count(
  ctx: AppContext,
  tx: Tx,
  group: SbomGroup,
  statements: readonly SbomStatement[],
): Promise<void> {
  const { workspaceId, firmwareVersionId, target: sbomId, isAgain = false } = group
  const scope = { workspaceId, firmwareVersionId }
  if (sbomId === undefined || isAgain) {
    const parsed = sbomId !== undefined && { parsed: { sbomId, statements } }
    const cause = isAgain ? 'RulesChanged' : 'SbomDeleted'
    await ctx.reactions.inventoryChanged(ctx, tx, { ...scope, cause, ...parsed })
    return
  }
  const isStaged = (await findSbom(tx, workspaceId, sbomId))?.replaces === 'all'
  if (isStaged) await stageSbom(tx, { workspaceId, sbomId, statements })
  await settleUploads(ctx, tx, scope, isStaged ? [] : [{ sbomId, statements }])
}

async function writeOutcome(ctx: AppContext, tx: Tx, { group, sboms }: Inventory): Promise<void> {
  const { workspaceId, target: sbomId } = group
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
}

interface Destination {
  workspaceId: string
  ids: readonly string[]
  target: string | undefined
  /** Collects the statements of the target. */
  statements: SbomStatement[]
  at: Date
}

async function writeRows(
  tx: Tx,
  message: ParserMessage,
  { workspaceId, ids, target, statements, at }: Destination,
): Promise<void> {
  if (message.type === 'summary' || message.type === 'packages' || message.type === 'failed')
    throw new Error(`the parser sent ${message.type} among the rows`)
  const sbomId = ids[message.file]
  if (sbomId === undefined) throw new Error(`the parser named file ${message.file}`)
  if (message.type === 'statements') {
    if (sbomId === target) for (const each of message.rows) statements.push(each)
  } else if (message.type === 'nodes')
    await store.insertGraphNodes(tx, { workspaceId, sbomId, rows: message.rows })
  else if (message.type === 'sourceFiles')
    await sourceFiles.insertDeclaredLists(tx, { workspaceId, sbomId, rows: message.rows, at })
  else if (sbomId === target)
    await store.insertComponents(tx, { workspaceId, sbomId, rows: message.rows })
  else await store.updateComponentPackages(tx, { workspaceId, sbomId, rows: message.rows })
}

/** Reads a document as an upload does, in a transaction that is rolled back: nothing of it is kept. */
import { IDENTITY_RULES_VERSION } from '../../../formats/identity.ts'
import type { SbomStatement } from '../../../formats/sboms/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import { createUnkeptVersion, lockFirmwareVersion } from '../../firmware/index.ts'
import { readOverrides } from '../package-overrides/store.ts'
import { findInputFault } from '../failures/service.ts'
import {
  type ParserMessage,
  type ParserMessages,
  readSummary,
  type SbomSummary,
} from '../parsing/parser-messages.ts'
import { PARSER_VERSION } from '../parsing/service.ts'
import * as parsing from '../parsing/store.ts'
import { insertDeclaredLists } from '../source-files/store.ts'
import { insertSbom } from '../store.ts'

export interface UnkeptDocument {
  workspaceId: string
  /** The version whose decisions hold for it, as for the version after it. */
  baseVersionId: string | undefined
  path: string
  fileName: string
  sizeBytes: number
  sha256: string
}

interface UnkeptVersion {
  workspaceId: string
  firmwareVersionId: string
}

/** What is done with the document while it is there. */
export interface WithDocument<Result> {
  /** Its packages are written, as all workspaces share them. */
  packagesKnown: (packageIds: readonly string[]) => Promise<void>
  /** It is the only SBOM of the version, which nobody else sees. */
  read: (tx: Tx, version: UnkeptVersion) => Promise<Result>
}

/** Answers why the document cannot be read, where it is at fault. */
export async function withUnkeptDocument<Result>(
  ctx: AppContext,
  document: UnkeptDocument,
  use: WithDocument<Result>,
): Promise<{ result: Result } | { parsingError: string }> {
  const { limits, parseSeconds } = ctx.config.sboms
  const { overrides } = await readOverrides(ctx.db, document.workspaceId)
  const task = { paths: [document.path], limits, overrides }
  const messages = ctx.parsers.run(task, parseSeconds, { isShort: false }) as ParserMessages
  try {
    const [summary] = await readSummary(messages)
    if (!summary) throw new Error('the parser answered no document')
    const { packageIds, next } = await writePackages(ctx, messages)
    await use.packagesKnown(packageIds)
    return { result: await inRolledBack(ctx, { document, summary, next, messages }, use) }
  } catch (error) {
    const parsingError = findInputFault(ctx, error)
    if (parsingError === undefined) throw error
    return { parsingError }
  } finally {
    await messages.return(undefined)
  }
}

async function writePackages(ctx: AppContext, messages: ParserMessages) {
  const packageIds: string[] = []
  for (;;) {
    const { value, done } = await messages.next()
    if (done === true) return { packageIds, next: undefined }
    if (value.type !== 'packages') return { packageIds, next: value }
    await parsing.insertPackages(ctx.db, value.rows, ctx.now())
    for (const { id } of value.rows) packageIds.push(id)
  }
}

interface ReadDocument {
  document: UnkeptDocument
  summary: SbomSummary
  next: ParserMessage | undefined
  messages: ParserMessages
}

async function inRolledBack<Result>(
  ctx: AppContext,
  parsed: ReadDocument,
  { read }: WithDocument<Result>,
): Promise<Result> {
  const tx = await ctx.db.startTransaction().execute()
  try {
    await parsing.limitStatements(tx, ctx.config.sboms.storeSeconds)
    return await read(tx, await writeDocument(ctx, tx, parsed))
  } finally {
    await tx.rollback().execute()
  }
}

async function writeDocument(ctx: AppContext, tx: Tx, parsed: ReadDocument) {
  const { document, summary, messages } = parsed
  const { workspaceId, baseVersionId, fileName, sizeBytes, sha256 } = document
  const at = ctx.now()
  const firmwareVersionId = await createUnkeptVersion(tx, { workspaceId, baseVersionId, at })
  const version = { workspaceId, firmwareVersionId }
  await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
  const sbomId = newId()
  const row = { ...version, id: sbomId, fileName, sizeBytes, sha256, createdAt: at }
  await insertSbom(tx, { ...row, uploadNumber: 1, replaces: null })
  const statements: SbomStatement[] = []
  for (let message = parsed.next; message; message = (await messages.next()).value ?? undefined)
    for (const statement of await writeRows(tx, message, { workspaceId, sbomId, at }))
      statements.push(statement)
  await parsing.updateNotMatched(tx, workspaceId, [sbomId])
  await parsing.updateSbomAsSucceeded(tx, {
    workspaceId,
    sbomId,
    parsedAt: at,
    parserVersion: PARSER_VERSION,
    identityVersion: IDENTITY_RULES_VERSION,
    ...summary,
  })
  const parsedDocument = { sbomId, statements }
  await ctx.reactions.inventoryChanged(ctx, tx, {
    ...version,
    cause: 'SbomParsed',
    parsed: parsedDocument,
  })
  return version
}

/** Answers the statements of the document. */
async function writeRows(
  tx: Tx,
  message: ParserMessage,
  { workspaceId, sbomId, at }: { workspaceId: string; sbomId: string; at: Date },
): Promise<readonly SbomStatement[]> {
  const of = { workspaceId, sbomId }
  switch (message.type) {
    case 'components':
      await parsing.insertComponents(tx, { ...of, rows: message.rows })
      return []
    case 'nodes':
      await parsing.insertGraphNodes(tx, { ...of, rows: message.rows })
      return []
    case 'sourceFiles':
      await insertDeclaredLists(tx, { ...of, rows: message.rows, at })
      return []
    case 'statements':
      return message.rows
    case 'summary':
    case 'packages':
    case 'failed':
      throw new Error(`the parser sent ${message.type} among the rows`)
  }
}

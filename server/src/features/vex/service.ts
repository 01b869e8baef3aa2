/** Imports a VEX document about a firmware version, or previews the import. */
import type { VexDocument } from '../../formats/vex/model.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { recordAudit } from '../audit/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../firmware/index.ts'
import { applyStatements } from './decisions/service.ts'
import { capStatedAt, readDocument } from './received-document.ts'
import { sharePackages, type VersionScope } from './targets/store.ts'
import { listTargetedStatements } from './decisions/store.ts'
import { retargetDocument } from './for-version.ts'
import { describeImport, type UnmatchedStatement } from './import-outcome.ts'
import { deriveId, createStatementRow } from './statement-row.ts'
import * as store from './store.ts'
import { openResolver, type Resolver, retargetStatements } from './targets/service.ts'

export interface ImportVex {
  workspaceId: string
  firmwareVersionId: string
  /** A JSON value. */
  document: unknown
  dryRun: boolean
  /** The product of the document is the firmware version, whatever the document calls it. */
  isForVersion: boolean
  actor: Actor
}

/** A preview does the whole import and rolls it back. */
export async function importVex(ctx: AppContext, input: ImportVex) {
  const { workspaceId, dryRun } = input
  const document = readDocument(input.document)
  const version = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const scope = { workspaceId, firmwareVersionId: version.id }
  const tx = await ctx.db.startTransaction().execute()
  try {
    const { actor, isForVersion } = input
    const outcome = await importDocument(ctx, tx, { ...scope, document, isForVersion, actor })
    await (dryRun ? tx.rollback() : tx.commit()).execute()
    return { dryRun, ...outcome }
  } finally {
    if (!tx.isCommitted && !tx.isRolledBack) await tx.rollback().execute()
  }
}

interface DocumentImport extends VersionScope {
  document: VexDocument
  isForVersion: boolean
  actor: Actor
}

async function importDocument(ctx: AppContext, tx: Tx, input: DocumentImport) {
  const { workspaceId, firmwareVersionId, actor } = input
  const scope = { workspaceId, firmwareVersionId }
  if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)))
    throw notFound('firmware version', firmwareVersionId)
  await sharePackages(tx, scope)
  const receivedAt = ctx.now()
  const resolver = await openResolver(tx, scope)
  const meant = input.isForVersion ? retargetDocument(input.document, resolver) : input.document
  const document = { ...meant, statedAt: capStatedAt(meant, receivedAt) }
  const { format, id, envelope, entries } = document
  // A document without an id is identified by its content.
  const documentId = deriveId(workspaceId, firmwareVersionId, format, id ?? [envelope, entries])
  await refuseOlder(tx, { workspaceId, documentId, document })
  const { rows, unmatched } = resolveAll(document, { resolver, documentId, receivedAt })
  if (rows.length === 0) await store.deleteDocument(tx, workspaceId, documentId)
  else await storeDocument(tx, { ...input, document, documentId, receivedAt, rows })
  await retargetStatements(tx, scope, resolver)
  const findings = await applyStatements(ctx, tx, scope)
  const own = findings.filter((row) => row.documentId === documentId)
  const targeted = new Set(await listTargetedStatements(tx, scope))
  const outcome = describeImport({ findings: own, rows, unmatched, targeted })
  const summary = { format, documentId: id ?? null, author: document.author ?? null }
  const counts = { statements: rows.length, changes: outcome.changes.length }
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action: 'vex.import',
    resourceType: 'firmware-version',
    resourceId: firmwareVersionId,
    after: { ...summary, ...counts, unmatched: unmatched.length },
    about: outcome.changes.map(({ cveId }) => ({ type: 'vulnerability' as const, id: cveId })),
  })
  return {
    document: {
      id: rows.length === 0 ? null : documentId,
      specVersion: document.specVersion ?? null,
      statedAt: document.statedAt ?? null,
      ...summary,
    },
    ...outcome,
    unmatched,
  }
}

async function refuseOlder(
  tx: Tx,
  {
    workspaceId,
    documentId,
    document,
  }: { workspaceId: string; documentId: string; document: VexDocument },
): Promise<void> {
  const known = await store.findDocument(tx, workspaceId, documentId)
  const { statedAt, id = '' } = document
  if (!known?.statedAt || statedAt === undefined || known.statedAt <= new Date(statedAt)) return
  throw new AppError(
    'conflict',
    'vex-outdated',
    `A newer version of the document ${JSON.stringify(id)}, from ${known.statedAt.toISOString()}, is already imported.`,
  )
}

interface ResolveOptions {
  resolver: Resolver
  documentId: string
  receivedAt: Date
}

/** Answers the statements about this firmware version, and what of the document names nothing in it. */
export function resolveAll(
  document: VexDocument,
  { resolver, documentId, receivedAt }: ResolveOptions,
) {
  const rows = new Map<string, store.StatementRow>()
  const unmatched: UnmatchedStatement[] = document.faults.map(({ pointer, detail }) => ({
    pointer,
    vulnerability: null,
    product: null,
    reason: `The statement cannot be read: ${detail}.`,
    isKept: false,
  }))
  for (const statement of document.statements) {
    const { pointer, vulnerability } = statement
    const resolution = resolver.resolve(statement.products)
    for (const { product, reason, isKept } of resolution.unmatched)
      unmatched.push({ pointer, vulnerability, product, reason, isKept })
    if (!resolution.isAccepted) continue
    const original = document.entries[statement.entry] ?? {}
    const row = createStatementRow({ documentId, statement, original, receivedAt })
    rows.set(row.id, row)
  }
  return { rows: [...rows.values()], unmatched }
}

interface StoredDocument extends VersionScope {
  document: VexDocument
  actor: Pick<Actor, 'email'>
  /** The document of a supplier's feed that it is. */
  supplierDocumentId?: string
  documentId: string
  receivedAt: Date
  rows: readonly store.StatementRow[]
}

export async function storeDocument(tx: Tx, input: StoredDocument): Promise<void> {
  const { workspaceId, firmwareVersionId, document, documentId, receivedAt, rows, actor } = input
  const { format, specVersion, id, author, statedAt, envelope } = document
  await store.insertDocument(tx, {
    workspaceId,
    firmwareVersionId,
    id: documentId,
    sbomId: null,
    format,
    specVersion: specVersion ?? null,
    documentId: id ?? null,
    author: author ?? null,
    statedAt: statedAt ?? null,
    receivedAt,
    receivedByEmail: actor.email ?? null,
    supplierDocumentId: input.supplierDocumentId ?? null,
    envelope,
  })
  await store.replaceStatements(tx, {
    workspaceId,
    firmwareVersionId,
    documentId,
    receivedAt,
    rows,
  })
}

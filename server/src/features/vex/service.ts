/** Imports a VEX document about a firmware version, or previews the import. */
import type { VexDocument } from '../../formats/vex/model.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { encodeFindingId } from '../findings/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../firmware/index.ts'
import { applyStatements } from './decisions/service.ts'
import { cappedStatedAt, readDocument } from './received-document.ts'
import { sharePackages, type VersionScope } from './targets/store.ts'
import type { StatedFinding } from './decisions/store.ts'
import { contentId, statementRow } from './statement-row.ts'
import * as store from './store.ts'
import { openResolver, type Resolver, retargetStatements } from './targets/service.ts'

export interface ImportVex {
  workspaceId: string
  firmwareVersionId: string
  /** A JSON value. */
  document: unknown
  dryRun: boolean
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
    const outcome = await importDocument(ctx, tx, { ...scope, document, actor: input.actor })
    await (dryRun ? tx.rollback() : tx.commit()).execute()
    return { dryRun, ...outcome }
  } finally {
    if (!tx.isCommitted && !tx.isRolledBack) await tx.rollback().execute()
  }
}

interface DocumentImport extends VersionScope {
  document: VexDocument
  actor: Actor
}

async function importDocument(ctx: AppContext, tx: Tx, input: DocumentImport) {
  const { workspaceId, firmwareVersionId, actor } = input
  const scope = { workspaceId, firmwareVersionId }
  if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)))
    throw notFound('firmware version', firmwareVersionId)
  await sharePackages(tx, scope)
  const receivedAt = ctx.now()
  const document = { ...input.document, statedAt: cappedStatedAt(input.document, receivedAt) }
  const { format, id, envelope, entries } = document
  // A document without an id is identified by its content.
  const documentId = contentId(workspaceId, firmwareVersionId, format, id ?? [envelope, entries])
  await refuseOlder(tx, { workspaceId, documentId, document })
  const resolver = await openResolver(tx, scope)
  const { rows, unmatched } = resolveAll(document, { resolver, documentId, receivedAt })
  if (rows.length === 0) await store.deleteDocument(tx, workspaceId, documentId)
  else await storeDocument(tx, { ...input, document, documentId, receivedAt, rows })
  await retargetStatements(tx, scope, resolver)
  const findings = await applyStatements(ctx, tx, scope)
  const own = findings.filter((row) => row.documentId === documentId)
  const outcome = outcomeOf(own, rows)
  const summary = { format, documentId: id ?? null, author: document.author ?? null }
  const counts = { statements: rows.length, changes: outcome.changes.length }
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action: 'vex.import',
    resourceType: 'firmware-version',
    resourceId: firmwareVersionId,
    after: { ...summary, ...counts, unmatched: unmatched.length },
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
function resolveAll(document: VexDocument, { resolver, documentId, receivedAt }: ResolveOptions) {
  const rows = new Map<string, store.StatementRow>()
  const unmatched = document.faults.map(({ pointer, detail }) => ({
    pointer,
    vulnerability: null as string | null,
    product: null as string | null,
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
    const row = statementRow({ documentId, statement, original, receivedAt })
    rows.set(row.id, row)
  }
  return { rows: [...rows.values()], unmatched }
}

interface StoredDocument extends DocumentImport {
  documentId: string
  receivedAt: Date
  rows: readonly store.StatementRow[]
}

async function storeDocument(tx: Tx, input: StoredDocument): Promise<void> {
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

function outcomeOf(findings: readonly StatedFinding[], rows: readonly store.StatementRow[]) {
  const deciding = new Set(findings.map(({ statementId }) => statementId))
  const having = (outcome: StatedFinding['outcome']) =>
    findings.filter((finding) => finding.outcome === outcome).map(shownFinding)
  return {
    statementCount: rows.length,
    changes: having('Change'),
    conflicts: having('Conflict'),
    unchangedCount: having('Same').length,
    waiting: rows
      .filter(({ id }) => !deciding.has(id))
      .map(({ pointer, vulnerability }) => ({ pointer, vulnerability })),
  }
}

function shownFinding(row: StatedFinding) {
  const { assessment, justification, detail, responses, statedAt, pointer } = row
  return {
    findingId: encodeFindingId(row),
    cveId: row.vulnerabilityId,
    componentName: row.componentName,
    componentVersion: row.componentVersion,
    pointer,
    from: {
      assessment: row.oldAssessment ?? 'NotAssessed',
      justification: row.oldJustification,
      detail: row.oldDetail,
      responses: row.oldResponses ?? [],
      source: row.oldAssessedAt && row.oldSource,
      decidedByEmail: row.oldByEmail,
      decidedAt: row.oldAssessedAt,
    },
    to: { assessment, justification, detail, responses, statedAt },
  }
}

export interface DeleteVexDocument {
  workspaceId: string
  documentId: string
  actor: Actor
}

/** Its statements no longer apply. Decisions they made stay. */
export async function deleteVexDocument(ctx: AppContext, input: DeleteVexDocument): Promise<void> {
  const { workspaceId, documentId, actor } = input
  if (!isUuid(documentId)) throw notFound('VEX document', documentId)
  await ctx.db.transaction().execute(async (tx) => {
    const { firmwareVersionId, ...before } = await lockDocument(tx, workspaceId, documentId)
    if (before.sbomId !== null)
      throw new AppError(
        'conflict',
        'vex-in-sbom',
        'These statements are part of an SBOM. They are deleted with that SBOM.',
      )
    await store.deleteDocument(tx, workspaceId, documentId)
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'vex.delete',
      resourceType: 'firmware-version',
      resourceId: firmwareVersionId,
      before,
    })
  })
}

/** Locks the firmware version of the document, which never changes. Then the document may already be deleted. */
async function lockDocument(tx: Tx, workspaceId: string, id: string) {
  const found = await store.findDocument(tx, workspaceId, id)
  if (found) await lockFirmwareVersion(tx, workspaceId, found.firmwareVersionId)
  const locked = found && (await store.findDocument(tx, workspaceId, id))
  if (!locked) throw notFound('VEX document', id)
  return locked
}

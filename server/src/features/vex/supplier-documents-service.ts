/** Imports what the documents of suppliers' feeds say about one firmware version. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { recordAudit } from '../audit/index.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import {
  type DroppedStatements,
  listDecisionsOfDocuments,
  listVersionsFollowing,
} from './decisions/dropped-store.ts'
import type { WithdrawnDocument } from './decisions/ended-store.ts'
import {
  applyStatements,
  endCarriedDecisions,
  endDroppedDecisions,
  endWithdrawnDecisions,
} from './decisions/service.ts'
import { capStatedAt, readDocument } from './received-document.ts'
import { resolveAll, storeDocument } from './service.ts'
import { deriveId } from './statement-row.ts'
import * as store from './store.ts'
import { openResolver, type Resolver, retargetStatements } from './targets/service.ts'
import { sharePackages, type VersionScope } from './targets/store.ts'

interface SupplierDocument {
  id: string
  feedId: string
  feedName: string
  /** A JSON value that `readDocument` has accepted before. */
  document: unknown
}

const SYSTEM: Actor = { type: 'System', id: undefined, email: undefined, requestId: undefined }

/** What a feed's documents no longer say, for a version to which decisions of theirs were carried over. */
export interface DroppedInVersion extends DroppedStatements {
  firmwareVersionId: string
  feedId: string
  feedName: string
}

interface SupplierImport extends VersionScope {
  documents: readonly SupplierDocument[]
  /** Tells other versions, in the transaction. */
  tellDropped: (tx: Tx, dropped: DroppedInVersion) => Promise<void>
}

/**
 * Importing the same again changes nothing. Documents that name nothing of the version leave no rows. What they said before and say no
 * longer decides nothing any more.
 */
export async function importSupplierDocuments(
  ctx: AppContext,
  { documents, tellDropped, ...scope }: SupplierImport,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const { workspaceId, firmwareVersionId } = scope
    if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
    await sharePackages(tx, scope)
    const own = mapDocuments(scope, documents)
    const decided = await listDecisionsOfDocuments(tx, scope, [...own.keys()])
    const resolver = await openResolver(tx, scope)
    let isAnyStored = false
    for (const one of documents)
      if (await importOne(ctx, tx, { ...scope, ...one, resolver })) isAnyStored = true
    if (!isAnyStored && decided.length === 0) return
    await retargetStatements(tx, scope, resolver)
    await applyAndTell(ctx, tx, { ...scope, own })
    const dropped = await endDroppedDecisions(ctx, tx, { ...scope, decided })
    for (const [feedId, those] of Map.groupBy(
      dropped,
      (one) => own.get(one.vexDocumentId)?.feedId ?? '',
    )) {
      const feedName = own.get(those[0]?.vexDocumentId ?? '')?.feedName ?? ''
      const ended = those.map(({ vulnerabilityId }) => vulnerabilityId)
      await recordEnd(ctx, tx, { ...scope, feedId, feedName, ended })
      for (const following of await listVersionsFollowing(tx, scope, those))
        await tellDropped(tx, {
          firmwareVersionId: following,
          feedId,
          feedName,
          vexDocumentIds: those.map(({ vexDocumentId }) => vexDocumentId),
          vulnerabilityIds: ended,
        })
    }
  })
}

/** By the ids of their rows about the version. Two suppliers may give documents the same id, so theirs is not part of it. */
const mapDocuments = (
  { workspaceId, firmwareVersionId }: VersionScope,
  documents: readonly SupplierDocument[],
): ReadonlyMap<string, SupplierDocument> =>
  new Map(
    documents.map((one) => [deriveId(workspaceId, firmwareVersionId, 'supplier', one.id), one]),
  )

interface OneImport extends VersionScope, SupplierDocument {
  resolver: Resolver
}

/** Answers whether statements of it are about the version, or were. */
async function importOne(ctx: AppContext, tx: Tx, input: OneImport): Promise<boolean> {
  const { workspaceId, firmwareVersionId, id: supplierDocumentId, resolver } = input
  const received = readDocument(input.document)
  const receivedAt = ctx.now()
  const document = { ...received, statedAt: capStatedAt(received, receivedAt) }
  const documentId = deriveId(workspaceId, firmwareVersionId, 'supplier', supplierDocumentId)
  const { rows } = resolveAll(document, { resolver, documentId, receivedAt })
  const scope = { workspaceId, firmwareVersionId }
  if (rows.length > 0) {
    const made = { document, documentId, receivedAt, rows, supplierDocumentId }
    await storeDocument(tx, { ...scope, ...made, actor: SYSTEM })
    return true
  }
  return store.deleteDocument(tx, workspaceId, documentId)
}

/** One entry of the audit log for each feed that changed decisions. */
async function applyAndTell(
  ctx: AppContext,
  tx: Tx,
  { own, ...scope }: VersionScope & { own: ReadonlyMap<string, SupplierDocument> },
): Promise<void> {
  const { workspaceId, firmwareVersionId } = scope
  const findings = await applyStatements(ctx, tx, scope)
  const changes = findings.flatMap(({ outcome, documentId, vulnerabilityId }) => {
    const from = outcome === 'Change' ? own.get(documentId) : undefined
    return from ? [{ from, vulnerabilityId }] : []
  })
  for (const [feedId, made] of Map.groupBy(changes, ({ from }) => from.feedId))
    await recordAudit(ctx, tx, {
      workspaceId,
      actor: SYSTEM,
      action: 'supplier-feed.apply',
      resourceType: 'supplier-feed',
      resourceId: feedId,
      after: { name: made[0]?.from.feedName, firmwareVersionId, changes: made.length },
      about: [...new Set(made.map((one) => one.vulnerabilityId))].map((id) => ({
        type: 'vulnerability' as const,
        id,
      })),
    })
}

interface Withdrawal extends VersionScope {
  documents: readonly WithdrawnDocument[]
  feedId: string
  feedName: string
  /** Of documents that were revised: only this. */
  dropped?: DroppedStatements | undefined
}

/** What a supplier took back decides nothing any more: its statements are deleted already. Doing it again changes nothing. */
export async function takeBackSupplierDocuments(
  ctx: AppContext,
  { documents, feedId, feedName, dropped, ...scope }: Withdrawal,
): Promise<void> {
  const { workspaceId, firmwareVersionId } = scope
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
    await sharePackages(tx, scope)
    const ended = dropped
      ? await endCarriedDecisions(ctx, tx, { ...scope, dropped })
      : await endWithdrawnDecisions(ctx, tx, { ...scope, documents })
    await recordEnd(ctx, tx, { ...scope, feedId, feedName, ended })
  })
}

async function recordEnd(
  ctx: AppContext,
  tx: Tx,
  input: VersionScope & { feedId: string; feedName: string; ended: readonly string[] },
): Promise<void> {
  const { workspaceId, firmwareVersionId, feedId, feedName: name, ended } = input
  if (ended.length === 0) return
  await recordAudit(ctx, tx, {
    workspaceId,
    actor: SYSTEM,
    action: 'supplier-feed.withdraw',
    resourceType: 'supplier-feed',
    resourceId: feedId,
    after: { name, firmwareVersionId, changes: ended.length },
    about: [...new Set(ended)].map((id) => ({ type: 'vulnerability' as const, id })),
  })
}

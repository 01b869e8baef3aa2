/** Documents that were imported about a firmware version. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import * as store from './store.ts'

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
    if (before.supplierDocumentId !== null)
      throw new AppError(
        'conflict',
        'vex-of-supplier',
        "The document is of a supplier's feed. Delete the feed to be without its documents.",
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
export async function lockDocument(tx: Tx, workspaceId: string, id: string) {
  const found = await store.findDocument(tx, workspaceId, id)
  if (found) await lockFirmwareVersion(tx, workspaceId, found.firmwareVersionId)
  const locked = found && (await store.findDocument(tx, workspaceId, id))
  if (!locked) throw notFound('VEX document', id)
  return locked
}

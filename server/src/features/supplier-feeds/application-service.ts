/** Applies what suppliers say to firmware versions of the workspace: after documents were read, and after components changed. */
import type { Static } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type { InventoryChange } from '../sboms/index.ts'
import { type DroppedInVersion, importSupplierDocuments } from '../vex/index.ts'
import { hasDocuments, listKept } from './documents-store.ts'
import { SupplierDocumentsRead, SupplierDocumentsWithdrawn } from './schemas.ts'

/** Of one transaction, so that others need not wait long for the firmware version. */
const DOCUMENTS_AT_ONCE = 25
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export async function applyDocuments(
  ctx: AppContext,
  { workspaceId, firmwareVersionId, documentIds }: Static<typeof SupplierDocumentsRead.payload>,
): Promise<void> {
  const tellDropped = (tx: Tx, { vexDocumentIds, vulnerabilityIds, ...told }: DroppedInVersion) =>
    ctx.queue.enqueue(tx, SupplierDocumentsWithdrawn, {
      workspaceId,
      ...told,
      documents: [],
      dropped: { vexDocumentIds, vulnerabilityIds },
    })
  const asked = { workspaceId, documentIds, limit: DOCUMENTS_AT_ONCE }
  for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
    const documents = await listKept(ctx.db, { ...asked, after })
    if (documents.length > 0)
      await importSupplierDocuments(ctx, {
        workspaceId,
        firmwareVersionId,
        documents,
        tellDropped,
      })
    after = documents.length === DOCUMENTS_AT_ONCE ? documents.at(-1)?.id : undefined
  }
}

/** Components that came may be what suppliers speak of. */
export async function applyAfterChange(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, firmwareVersionId, hasMore = false }: InventoryChange,
): Promise<void> {
  if (hasMore || !(await hasDocuments(tx, workspaceId))) return
  await ctx.queue.enqueue(tx, SupplierDocumentsRead, { workspaceId, firmwareVersionId })
}

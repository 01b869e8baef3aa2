/** Removes files no SBOM row speaks of: those of deleted firmware versions, and of uploads a crash cut off. */
import type { AppContext } from '../../platform/context.ts'
import { blobPrefix, parseBlobKey, SBOM_BLOBS } from './blob-key.ts'
import * as store from './store.ts'

export async function deleteSbomFiles(
  ctx: AppContext,
  { workspaceId, firmwareVersionIds }: { workspaceId: string; firmwareVersionIds: string[] },
): Promise<void> {
  for (const firmwareVersionId of firmwareVersionIds)
    for await (const { key } of ctx.blobs.list(blobPrefix(workspaceId, firmwareVersionId)))
      await ctx.blobs.delete(key)
}

/** Looks at what was stored before an instant only: later files may be about to get their row. */
export async function sweepOrphanedFiles(ctx: AppContext, before: Date): Promise<number> {
  await ctx.blobs.sweepTemporary(before)
  let deleted = 0
  for await (const { key, modifiedAt } of ctx.blobs.list(SBOM_BLOBS)) {
    const address = parseBlobKey(key)
    if (!address || modifiedAt >= before) continue
    if (await store.findSbom(ctx.db, address.workspaceId, address.sbomId)) continue
    await ctx.blobs.delete(key)
    deleted += 1
  }
  return deleted
}

/** Deletes blobs that no row refers to: replaced artifacts, parts of abandoned uploads, leftovers of crashes. */
import type { AppContext } from '../../platform/context.ts'
import { ARTIFACT_BLOBS, PART_BLOBS, parseArtifactBlobKey, parsePartBlobKey } from './blob-keys.ts'
import { findArtifact } from './store.ts'
import { deleteExpiredUploads, findUpload, listWorkspacesWithExpired } from './uploads/store.ts'

/** Checks only blobs stored before `before`: the row of a newer blob may not be committed yet. Answers how many it deleted. */
export async function sweepArtifactFiles(ctx: AppContext, before: Date): Promise<number> {
  const now = ctx.now()
  for (const workspaceId of await listWorkspacesWithExpired(ctx.db, now))
    await deleteExpiredUploads(ctx.db, workspaceId, now)
  const artifacts = await sweep(ctx, { prefix: ARTIFACT_BLOBS, before, isReferenced: isArtifact })
  return artifacts + (await sweep(ctx, { prefix: PART_BLOBS, before, isReferenced: isPart }))
}

interface Sweep {
  prefix: string
  before: Date
  isReferenced: (ctx: AppContext, key: string) => Promise<boolean>
}

async function sweep(ctx: AppContext, { prefix, before, isReferenced }: Sweep): Promise<number> {
  let deleted = 0
  for await (const { key, modifiedAt } of ctx.blobs.list(prefix)) {
    if (modifiedAt >= before || (await isReferenced(ctx, key))) continue
    await ctx.blobs.delete(key)
    deleted += 1
  }
  return deleted
}

/** Blobs with unknown keys are not deleted. */
async function isArtifact({ db }: AppContext, key: string): Promise<boolean> {
  const address = parseArtifactBlobKey(key)
  return !address || (await findArtifact(db, address))?.blobId === address.blobId
}

async function isPart({ db }: AppContext, key: string): Promise<boolean> {
  const address = parsePartBlobKey(key)
  if (!address) return true
  const upload = await findUpload(db, address)
  return upload?.id === address.uploadId && upload.parts.includes(address.partId)
}

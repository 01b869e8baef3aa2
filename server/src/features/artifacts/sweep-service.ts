/** Removes files of artifacts no row speaks of: replaced ones, parts of uploads nobody ended, what crashes left. */
import type { AppContext } from '../../platform/context.ts'
import { ARTIFACT_BLOBS, PART_BLOBS, parseArtifactKey, parsePartKey } from './blob-keys.ts'
import { findArtifact } from './store.ts'
import { deleteExpiredUploads, findUpload, listWorkspacesWithExpired } from './uploads/store.ts'

/** Looks at what was stored before an instant only: later files may be about to get their row. */
export async function sweepArtifactFiles(ctx: AppContext, before: Date): Promise<number> {
  const now = ctx.now()
  for (const workspaceId of await listWorkspacesWithExpired(ctx.db, now))
    await deleteExpiredUploads(ctx.db, workspaceId, now)
  const artifacts = await sweep(ctx, { prefix: ARTIFACT_BLOBS, before, isKept: isArtifact })
  return artifacts + (await sweep(ctx, { prefix: PART_BLOBS, before, isKept: isPart }))
}

interface Sweep {
  prefix: string
  before: Date
  isKept: (ctx: AppContext, key: string) => Promise<boolean>
}

async function sweep(ctx: AppContext, { prefix, before, isKept }: Sweep): Promise<number> {
  let deleted = 0
  for await (const { key, modifiedAt } of ctx.blobs.list(prefix)) {
    if (modifiedAt >= before || (await isKept(ctx, key))) continue
    await ctx.blobs.delete(key)
    deleted += 1
  }
  return deleted
}

/** What this slice did not name is not its to delete. */
async function isArtifact({ db }: AppContext, key: string): Promise<boolean> {
  const address = parseArtifactKey(key)
  return !address || (await findArtifact(db, address))?.blobId === address.blobId
}

async function isPart({ db }: AppContext, key: string): Promise<boolean> {
  const address = parsePartKey(key)
  if (!address) return true
  const upload = await findUpload(db, address)
  return upload?.id === address.uploadId && upload.parts.includes(address.partId)
}

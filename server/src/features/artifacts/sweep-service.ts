/** Deletes blobs that no row refers to: replaced artifacts, parts of abandoned uploads, leftovers of crashes. */
import type { AppContext } from '../../platform/context.ts'
import { ARTIFACT_BLOBS, PART_BLOBS, parseArtifactBlobKey, parsePartBlobKey } from './blob-keys.ts'
import { hasRoleBlob } from './roles/store.ts'
import { findArtifact } from './store.ts'
import { deleteExpiredUploads, hasPart, listWorkspacesWithExpired } from './uploads/store.ts'

/** Checks only blobs stored before `before`: the row of a newer blob may not be committed yet. Answers how many it deleted. */
export async function sweepArtifactFiles(ctx: AppContext, before: Date): Promise<number> {
  const now = ctx.now()
  for (const workspaceId of await listWorkspacesWithExpired(ctx.db, now))
    await deleteExpiredUploads(ctx.db, workspaceId, now)
  let deleted = 0
  for await (const key of listLeftOvers(ctx, before)) {
    await ctx.blobs.delete(key)
    deleted += 1
  }
  return deleted
}

/** Blobs stored before `before` that no row refers to. */
export async function* listLeftOvers(
  ctx: Pick<AppContext, 'db' | 'blobs'>,
  before: Date,
): AsyncGenerator<string> {
  for (const prefix of [ARTIFACT_BLOBS, PART_BLOBS])
    for await (const { key, modifiedAt } of ctx.blobs.list(prefix))
      if (modifiedAt < before && !(await isReferred(ctx, key))) yield key
}

/** Whether a row refers to the blob. Blobs with unknown keys are not deleted. */
export async function isReferred(ctx: Pick<AppContext, 'db'>, key: string): Promise<boolean> {
  return (key.startsWith(PART_BLOBS) ? isPart : isArtifact)(ctx, key)
}

async function isArtifact({ db }: Pick<AppContext, 'db'>, key: string): Promise<boolean> {
  const address = parseArtifactBlobKey(key)
  if (!address || (await findArtifact(db, address))?.blobId === address.blobId) return true
  return hasRoleBlob(db, address)
}

async function isPart({ db }: Pick<AppContext, 'db'>, key: string): Promise<boolean> {
  const address = parsePartBlobKey(key)
  return !address || hasPart(db, address, address)
}

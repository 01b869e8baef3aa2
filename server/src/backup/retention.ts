/** Deletes backups that are no longer to be kept, and the contents that no other backup names. */
import type { Keep } from '../config/backup-settings.ts'
import { DAY_MS } from '../formats/instants.ts'
import { AppError } from '../platform/errors.ts'
import type { BackupStore } from './backup-store.ts'
import { deleteUnusedDays } from './closed-days.ts'
import {
  nameDatabaseFolder,
  listBackupIds,
  nameManifest,
  readManifest,
  readTimeOfId,
} from './manifest.ts'
import { nameContentFolder } from './seal.ts'
import { forEachContent } from './verify-backup.ts'

/** To be called while no other backup can begin. Answers how many backups were deleted. */
export async function deleteOldBackups(
  store: BackupStore,
  { keep, now }: { keep: Keep; now: Date },
): Promise<number> {
  const ids = await listBackupIds(store)
  const old = ids.filter((id, index) => index < ids.length - 1 && isOld(id, keep, { ids, now }))
  for (const id of old) {
    // First, so that a backup that loses its parts does not exist any more.
    await store.delete(nameManifest(id))
    for await (const { key } of store.list(nameDatabaseFolder(id))) await store.delete(key)
  }
  await deleteUnusedDays(store)
  await deleteUnused(store)
  return old.length
}

function isOld(
  id: string,
  keep: Keep,
  { ids, now }: { ids: readonly string[]; now: Date },
): boolean {
  if ('count' in keep) return ids.indexOf(id) < ids.length - keep.count
  return readTimeOfId(id).getTime() < now.getTime() - keep.days * DAY_MS
}

/** Nothing is deleted as long as one of the backups cannot tell what it uses. */
async function deleteUnused(store: BackupStore): Promise<void> {
  const used = new Set<string>()
  try {
    for (const id of await listBackupIds(store)) {
      const manifest = await readManifest(store, id)
      const folder = nameContentFolder(manifest.recipients)
      await forEachContent({ store, manifest }, ({ sha256 }) => void used.add(folder + sha256))
    }
  } catch (error) {
    if (error instanceof AppError) return
    throw error
  }
  for await (const { key } of store.list(nameContentFolder([])))
    if (!used.has(key)) await store.delete(key)
}

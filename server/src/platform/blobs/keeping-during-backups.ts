import type { Pool } from 'pg'
import { mayDeleteFiles } from '../db/backup-locks.ts'
import type { BlobStore } from './blob-store.ts'

/** Deletes nothing while a backup runs, which copies the files after the rows that name them. Sweeps delete the files later. */
export function keepBlobsDuringBackups(blobs: BlobStore, pool: Pool): BlobStore {
  const deleteUnlessCopied = async (key: string) => {
    if (await mayDeleteFiles(pool)) await blobs.delete(key)
  }
  return { ...blobs, delete: deleteUnlessCopied }
}

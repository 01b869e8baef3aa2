/** Where backups are: a folder, a place in a bucket, or one tar file that holds one backup. */
import type { BlobStore } from '../platform/blobs/blob-store.ts'

export interface BackupStore extends Pick<BlobStore, 'put' | 'get' | 'list' | 'delete'> {
  /** For people. */
  name: string
  /** Removes what interrupted writes left. */
  sweep: () => Promise<void>
  /** Makes the backup durable under its name. To be called after everything is stored. */
  finish: () => Promise<void>
  /** Without `finish` before, nothing is left of a tar file. */
  close: () => Promise<void>
}

import type { BlobStoreConfig, BlobStore } from './blob-store.ts'
import { openFileBlobStore } from './file-blob-store.ts'

/** The S3 client is loaded only where it is used: it costs start-up time and memory. */
export async function openBlobStore(config: BlobStoreConfig): Promise<BlobStore> {
  if (config.kind === 'fs') return openFileBlobStore(config.directory)
  const { openS3BlobStore } = await import('./s3-blob-store.ts')
  return openS3BlobStore(config)
}

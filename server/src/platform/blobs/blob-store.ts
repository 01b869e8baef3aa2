/** Where uploaded files lie: a folder of this machine, or a bucket of any S3-compatible store. */
import type { Readable } from 'node:stream'
import { AppError } from '../errors.ts'

export type BlobStoreConfig =
  | { kind: 'fs'; directory: string }
  | {
      kind: 's3'
      endpoint?: string | undefined
      region: string
      bucket: string
      accessKeyId: string
      secretAccessKey: string
      /** The bucket in the path instead of the host name: what most self-hosted stores want. */
      forcePathStyle: boolean
    }

export interface StoredBlob {
  sizeBytes: number
  /** Hexadecimal. */
  sha256: string
}

export interface ListedBlob {
  key: string
  sizeBytes: number
  modifiedAt: Date
}

/** Both ends belong to it. */
export interface ByteRange {
  start: number
  end: number
}

export interface BlobStore {
  /**
   * Stores all bytes or nothing, and durably when it resolves; an existing blob is replaced. A failing source's own error
   * is thrown. More than `maxBytes`: `file-too-large`. A stream that was not read to its end is left as it is, so that
   * a request can still be answered.
   */
  put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options?: { maxBytes?: number },
  ): Promise<StoredBlob>
  /**
   * All of it, or the bytes of a range that lies within it. Fails before the first byte when there is no such blob:
   * `blob-not-found`.
   */
  get(key: string, range?: ByteRange): Promise<Readable>
  /** Copies a blob to a file of this machine, for processes that read files. */
  download(key: string, path: string): Promise<void>
  /** The blob as a file of this machine, when it is one; not to be changed. */
  localPath(key: string): string | undefined
  /** Also succeeds when there is no such blob. */
  delete(key: string): Promise<void>
  /** A link that needs no credentials; undefined when the service has to serve the file itself. */
  signedUrl(
    key: string,
    options: { fileName: string; expiresInSeconds: number },
  ): Promise<string | undefined>
  /** All blobs whose key begins with the prefix, which is empty or ends with a slash, in any order. */
  list(prefix: string): AsyncIterable<ListedBlob>
  /**
   * Removes what interrupted uploads left before that time, on a file system also what processes of this host left that
   * no longer run; resolves to how many.
   */
  sweepTemporary(olderThan: Date): Promise<number>
}

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}(\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){0,9}$/

/** Keys are made by the service; one that could leave its folder or hide in it is a bug. */
export function assertKey(key: string): void {
  if (!KEY.test(key)) throw new Error(`Not a blob key: ${JSON.stringify(key)}`)
}

export function assertPrefix(prefix: string): void {
  if (prefix === '') return
  if (!prefix.endsWith('/')) throw new Error(`Not a blob prefix: ${JSON.stringify(prefix)}`)
  assertKey(prefix.slice(0, -1))
}

export function blobNotFound(key: string): AppError {
  return new AppError('notFound', 'blob-not-found', `No stored file has the key "${key}".`)
}

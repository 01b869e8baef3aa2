/** Where uploaded files are stored: a folder of this machine, or a bucket of an S3-compatible store. */
import type { Readable } from 'node:stream'
import { AppError } from '../errors.ts'

export type BlobStoreConfig =
  | { kind: 'fs'; directory: string }
  | {
      kind: 's3'
      endpoint?: string | undefined
      region: string
      bucket: string
      /** Empty as the secret: credentials of the machine, its container or its web identity. */
      accessKeyId: string
      secretAccessKey: string
      /** Whether the bucket is in the path instead of the host name, as most self-hosted stores need. */
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

/** Includes both ends. */
export interface ByteRange {
  start: number
  end: number
}

export interface StoreFault {
  /** No answer came, as a store that refuses is there. */
  isAway: boolean
  detail: string
}

export interface BlobStore {
  /**
   * Stores all bytes or nothing. They are durable when it resolves. An existing blob is replaced. An error of the source
   * is thrown as it is. More than `maxBytes`: `file-too-large`. A stream that is not read to its end stays open, so that
   * a request can still be answered.
   */
  put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options?: { maxBytes?: number },
  ): Promise<StoredBlob>
  /**
   * Reads all of it, or a range that lies within it. Fails before the first byte when there is no such blob:
   * `blob-not-found`.
   */
  get(key: string, range?: ByteRange): Promise<Readable>
  /** Copies a blob to a file of this machine, for processes that read files. */
  download(key: string, path: string): Promise<void>
  /** The path of the blob, if it is a file of this machine. The file must not be changed. */
  localPath(key: string): string | undefined
  /** Also succeeds when there is no such blob. */
  delete(key: string): Promise<void>
  /** A link that needs no credentials. undefined: the service has to send the file itself. */
  signedUrl(
    key: string,
    options: { fileName: string; expiresInSeconds: number },
  ): Promise<string | undefined>
  /** All blobs whose key begins with the prefix, in any order. The prefix is empty or ends with a slash. */
  list(prefix: string): AsyncIterable<ListedBlob>
  /** Why the store cannot be used now; asked within seconds. undefined: it can. */
  findFault(): Promise<StoreFault | undefined>
  /**
   * Removes what interrupted uploads left before that time. On a file system this includes files of processes of this host
   * that no longer run. Resolves to the number of removed files.
   */
  sweepTemporary(olderThan: Date): Promise<number>
}

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}(\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){0,9}$/

/** The service makes the keys. A key that leaves its folder, or names a hidden file, is a bug. */
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

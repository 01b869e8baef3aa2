/** Blobs as objects of an S3-compatible store. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsOutput,
  type MultipartUpload,
  ListObjectsV2Command,
  NoSuchKey,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { AppError } from '../errors.ts'
import {
  assertKey,
  assertPrefix,
  type BlobStoreConfig,
  blobNotFound,
  type BlobStore,
  type ByteRange,
  type ListedBlob,
  type StoredBlob,
  type StoreFault,
} from './blob-store.ts'
import { formatAttachmentHeader } from './content-disposition.ts'
import { measureContent } from './measured-content.ts'
import { explainStoreFault, isAway, nameStore } from './store-fault.ts'

type S3Config = Extract<BlobStoreConfig, { kind: 's3' }>

interface Store {
  client: S3Client
  bucket: string
}

// Two parts in flight take 16 MiB of memory per upload; 10,000 parts hold 80 GiB.
const PART_BYTES = 8 * 1024 * 1024
const PARTS_AT_ONCE = 2

export function openS3BlobStore(config: S3Config): BlobStore {
  const store = { client: createClient(config), bucket: config.bucket }
  const plain = plainStore(store, nameStore(config))
  return {
    ...plain,
    put: (key, content, options) => reached(() => plain.put(key, content, options)),
    get: (key, range) => reached(() => plain.get(key, range)),
    download: (key, path) => reached(() => plain.download(key, path)),
    delete: (key) => reached(() => plain.delete(key)),
    signedUrl: (key, link) => reached(() => plain.signedUrl(key, link)),
    sweepTemporary: (olderThan) => reached(() => plain.sweepTemporary(olderThan)),
  }
}

/** Whether the store cannot be reached. Errors of the database have similar codes, so this distinguishes them. */
async function reached<Result>(use: () => Promise<Result>): Promise<Result> {
  try {
    return await use()
  } catch (error) {
    if (error instanceof Error && error.name === 'CredentialsProviderError')
      throw new AppError(
        'unavailable',
        'storage-unavailable',
        'The file store cannot be used right now, as this service gets no credentials for it: its operator sets ' +
          'PLIMSOLL_S3_ACCESS_KEY_ID and PLIMSOLL_S3_SECRET_ACCESS_KEY, or gives its machine a role.',
      )
    if (!isAway(error)) throw error
    throw new AppError(
      'unavailable',
      'storage-unavailable',
      'The file store cannot be reached right now. Try again shortly.',
    )
  }
}

function plainStore(store: Store, place: string): BlobStore {
  return {
    put: async (key, content, options) => putObject(store, key, content, options?.maxBytes),
    get: async (key, range) => getObject(store, key, range),
    download: async (key, path) => {
      const content = await getObject(store, key)
      await pipeline(content, createWriteStream(path, { mode: 0o600 }))
    },
    localPath: () => undefined,
    delete: async (key) => {
      await store.client.send(new DeleteObjectCommand(locate(store, key)))
    },
    signedUrl: async (key, { fileName, expiresInSeconds }) => {
      const command = new GetObjectCommand({
        ...locate(store, key),
        ResponseContentDisposition: formatAttachmentHeader(fileName),
        ResponseContentType: 'application/octet-stream',
      })
      return getSignedUrl(store.client, command, { expiresIn: expiresInSeconds })
    },
    list: (prefix) => listObjects(store, prefix),
    findFault: () => findFault(store, place),
    sweepTemporary: (olderThan) => abortUploads(store, olderThan),
  }
}

function createClient(config: S3Config): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle } = config
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    // Without keys, the SDK asks what it runs on, and asks again five minutes before an answer ends.
    ...(accessKeyId === '' ? {} : { credentials: { accessKeyId, secretAccessKey } }),
    forcePathStyle,
    // Turns off newer checksums, which many stores do not know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000 },
  })
}

async function putObject(
  store: Store,
  key: string,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number | undefined,
): Promise<StoredBlob> {
  const { chunks, result } = measureContent(content, maxBytes)
  const upload = new Upload({
    client: store.client,
    params: { ...locate(store, key), Body: Readable.from(chunks, { objectMode: false }) },
    partSize: PART_BYTES,
    queueSize: PARTS_AT_ONCE,
    leavePartsOnError: false,
  })
  await upload.done()
  return result()
}

async function getObject(store: Store, key: string, range?: ByteRange): Promise<Readable> {
  const part = range && { Range: `bytes=${range.start}-${range.end}` }
  try {
    const { Body } = await store.client.send(
      new GetObjectCommand({ ...locate(store, key), ...part }),
    )
    if (Body instanceof Readable) return Body
  } catch (error) {
    throw error instanceof NoSuchKey ? blobNotFound(key) : error
  }
  throw new Error(`The object store sent no content for ${key}.`)
}

const FAULT_WITHIN_MS = 4_000

/** Asks for one name: a right to list is needed anyhow, and a refusal says its reason, which it does not to HEAD. */
async function findFault(
  { client, bucket }: Store,
  place: string,
): Promise<StoreFault | undefined> {
  const command = new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 })
  try {
    await client.send(command, { abortSignal: AbortSignal.timeout(FAULT_WITHIN_MS) })
    return undefined
  } catch (error) {
    return explainStoreFault(error, place, FAULT_WITHIN_MS)
  }
}

async function* listObjects({ client, bucket }: Store, prefix: string): AsyncGenerator<ListedBlob> {
  assertPrefix(prefix)
  const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })
  for await (const { Contents = [] } of pages)
    for (const { Key: key, Size: sizeBytes = 0, LastModified: modifiedAt } of Contents)
      if (key !== undefined && modifiedAt) yield { key, sizeBytes, modifiedAt }
}

/** Parts of an unfinished upload are invisible but take space until the upload is aborted. */
async function abortUploads(store: Store, olderThan: Date): Promise<number> {
  let aborted = 0
  for await (const { Key, UploadId, Initiated } of listUploads(store)) {
    if (!Initiated || Initiated >= olderThan) continue
    const upload = { Bucket: store.bucket, Key, UploadId }
    await store.client.send(new AbortMultipartUploadCommand(upload))
    aborted++
  }
  return aborted
}

async function* listUploads({ client, bucket }: Store): AsyncGenerator<MultipartUpload> {
  let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined
  do {
    const input = { Bucket: bucket, ...after }
    const page: ListMultipartUploadsOutput = await client.send(
      new ListMultipartUploadsCommand(input),
    )
    yield* page.Uploads ?? []
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    after = IsTruncated === true ? { KeyMarker, UploadIdMarker } : undefined
  } while (after)
}

function locate({ bucket }: Store, key: string): { Bucket: string; Key: string } {
  assertKey(key)
  return { Bucket: bucket, Key: key }
}

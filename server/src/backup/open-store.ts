/** Opens what an operator names: a folder, `s3://bucket/prefix`, or one tar file that holds one backup. */
import { stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { type Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { BlobStore } from '../platform/blobs/blob-store.ts'
import { openFileBlobStore } from '../platform/blobs/file-blob-store.ts'
import { openBlobStore } from '../platform/blobs/open-blob-store.ts'
import type { BackupStore } from './backup-store.ts'
import { noBackup } from './problems.ts'
import { createTar, openTar } from './tar-store.ts'

export type StoreSettings = Pick<Config, 'dataDir' | 's3'>

const isTar = (address: string) => address.endsWith('.tar')
const isBucket = (address: string) => address.startsWith('s3://')

export async function openForWriting(
  address: string,
  settings: StoreSettings,
): Promise<BackupStore> {
  if (isBucket(address)) return bucketStore(address, settings)
  const path = resolve(address)
  for (const folder of ['blobs', 'postgres'].map((name) => resolve(settings.dataDir, name)))
    if (`${path}${sep}`.startsWith(`${folder}${sep}`))
      throw new ConfigError(`${address} is inside of ${folder}, where the service keeps its data.`)
  if (isTar(address)) return createTar(path)
  const found = await stat(path).catch(() => undefined)
  if (found && !found.isDirectory())
    throw new ConfigError(
      `${address} is a file. A backup goes to a folder, or to a new file that ends with .tar.`,
    )
  return storeIn(openFileBlobStore(path), { name: path, sweepsAfterMs: 0 })
}

export async function openForReading(
  address: string,
  settings: StoreSettings,
): Promise<BackupStore> {
  if (isBucket(address)) return bucketStore(address, settings)
  const path = resolve(address)
  const found = await stat(path).catch(() => undefined)
  if (!found) throw noBackup(`There is no file or folder ${address}.`)
  return found.isDirectory()
    ? storeIn(openFileBlobStore(path), { name: path, sweepsAfterMs: 0 })
    : openTar(path)
}

const BUCKET_ADDRESS =
  /^s3:\/\/(?<bucket>[^/]+)(?<prefix>(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*){0,5})\/?$/
/** The bucket may be that of others, too, whose uploads are under way. */
const DAY_MS = 86_400_000

async function bucketStore(address: string, { s3 }: StoreSettings): Promise<BackupStore> {
  const { bucket, prefix = '' } = BUCKET_ADDRESS.exec(address)?.groups ?? {}
  if (bucket === undefined)
    throw new ConfigError(`${address} is not of the form s3://bucket or s3://bucket/folder.`)
  const blobs = await openBlobStore({ ...s3, bucket })
  const folder = prefix === '' ? '' : `${prefix.slice(1)}/`
  return storeIn(withinFolder(blobs, folder), { name: address, sweepsAfterMs: DAY_MS })
}

function storeIn(
  blobs: BlobStore,
  { name, sweepsAfterMs }: { name: string; sweepsAfterMs: number },
): BackupStore {
  return {
    ...blobs,
    name,
    sweep: async () => void (await blobs.sweepTemporary(new Date(Date.now() - sweepsAfterMs))),
    finish: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

function withinFolder(blobs: BlobStore, folder: string): BlobStore {
  return {
    ...blobs,
    put: (key, content, options) => blobs.put(`${folder}${key}`, content, options),
    get: (key, range) => blobs.get(`${folder}${key}`, range),
    delete: (key) => blobs.delete(`${folder}${key}`),
    list: async function* list(prefix) {
      for await (const { key, ...rest } of blobs.list(`${folder}${prefix}`))
        yield { key: key.slice(folder.length), ...rest }
    },
  }
}

/** Opens what an operator names: a folder, or one tar file that holds one backup. */
import { stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { openFileBlobStore } from '../platform/blobs/file-blob-store.ts'
import { ConfigError } from '../config/config.ts'
import type { BackupStore } from './backup-store.ts'
import { noBackup } from './problems.ts'
import { createTar, openTar } from './tar-store.ts'

const isTar = (address: string) => address.endsWith('.tar')

export async function openForWriting(address: string, dataDir: string): Promise<BackupStore> {
  const path = resolve(address)
  for (const folder of ['blobs', 'postgres'].map((name) => resolve(dataDir, name)))
    if (`${path}${sep}`.startsWith(`${folder}${sep}`))
      throw new ConfigError(`${address} is inside of ${folder}, where the service keeps its data.`)
  if (isTar(address)) return createTar(path)
  const found = await stat(path).catch(() => undefined)
  if (found && !found.isDirectory())
    throw new ConfigError(
      `${address} is a file. A backup goes to a folder, or to a new file that ends with .tar.`,
    )
  return folderStore(path)
}

export async function openForReading(address: string): Promise<BackupStore> {
  const path = resolve(address)
  const found = await stat(path).catch(() => undefined)
  if (!found) throw noBackup(`There is no file or folder ${address}.`)
  return found.isDirectory() ? folderStore(path) : openTar(path)
}

function folderStore(path: string): BackupStore {
  const store = openFileBlobStore(path)
  return {
    ...store,
    name: path,
    isShared: true,
    sweep: async () => void (await store.sweepTemporary(new Date())),
    finish: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

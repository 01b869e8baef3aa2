/** Copies stored files into a backup: each content once, and none that an earlier backup has already. */
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BlobStore, StoredBlob } from '../platform/blobs/blob-store.ts'
import { measureContent } from '../platform/blobs/measured-content.ts'
import { AppError } from '../platform/errors.ts'
import type { BackupStore } from './backup-store.ts'
import type { Manifest, Rows } from './manifest.ts'
import type { NamedFile } from './named-files.ts'
import { putLines } from './parts.ts'
import { nameContentFolder, PLAIN, type Seal } from './seal.ts'

export interface CopyFiles {
  blobs: BlobStore
  store: BackupStore
  seal: Seal
  /** The folder of the backup in the store. */
  folder: string
  /** The list of the files, a JSON object a line. */
  listPath: string
  onProgress: (text: string) => void
}

export interface CopiedFiles {
  files: Rows
  contents: Rows
  contentBytes: number
  missing: Manifest['missing']
  /** What was not in the store before. */
  newContents: number
  newBytes: number
}

/** A line of the part `files`. */
export interface BackedUpFile {
  key: string
  sha256: string
}

/** A line of the part `contents`: the SHA-256 of the file, and the size of what is stored, which may be encrypted. */
export type Content = StoredBlob

interface CopyState extends CopyFiles {
  /** SHA-256 → size of what the store has. */
  present: Map<string, number>
  used: Map<string, number>
  missing: Manifest['missing']
  newContents: number
  newBytes: number
}

export async function copyFiles(options: CopyFiles): Promise<CopiedFiles> {
  const { store, folder, seal } = options
  const present = await listContents(store, nameContentFolder(seal.recipients))
  const copying: CopyState = {
    ...options,
    present,
    used: new Map(),
    missing: [],
    newContents: 0,
    newBytes: 0,
  }
  // Of a tar file one member is written at a time.
  const copiedPath = `${options.listPath}.copied`
  await pipeline(Readable.from(copyEach(copying)), createWriteStream(copiedPath, { mode: 0o600 }))
  const files = await putLines(
    store,
    { key: `${folder}files.zst`, seal },
    createReadStream(copiedPath),
  )
  const contents = await putLines(
    store,
    { key: `${folder}contents.zst`, seal: PLAIN },
    usedContents(copying),
  )
  const { used, missing, newContents, newBytes } = copying
  const contentBytes = [...used.values()].reduce((sum, size) => sum + size, 0)
  return { files, contents, contentBytes, missing, newContents, newBytes }
}

/** SHA-256 → size of the contents in a folder of the store. */
export async function listContents(
  store: BackupStore,
  folder: string,
): Promise<Map<string, number>> {
  const contents = new Map<string, number>()
  for await (const { key, sizeBytes } of store.list(folder))
    contents.set(key.slice(folder.length), sizeBytes)
  return contents
}

async function* copyEach(copying: CopyState): AsyncGenerator<Uint8Array> {
  const lines = createInterface({ input: createReadStream(copying.listPath), crlfDelay: Infinity })
  let count = 0
  for await (const line of lines) {
    const file = JSON.parse(line) as NamedFile
    count += 1
    copying.onProgress(
      `file ${count}; ${copying.newContents} new, ${copying.newBytes} bytes: ${file.key}`,
    )
    const stored = await copyFile(copying, file)
    if (stored) yield writeLine({ key: file.key, sha256: stored.sha256 })
  }
}

// eslint-disable-next-line @typescript-eslint/require-await -- lines are read as they come
async function* usedContents({ used }: CopyState): AsyncGenerator<Uint8Array> {
  for (const [sha256, sizeBytes] of used) yield writeLine({ sha256, sizeBytes })
}

function writeLine(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

/** undefined: the file cannot be read, or is not what its row says. The others are worth a backup all the same. */
async function copyFile(copying: CopyState, file: NamedFile): Promise<StoredBlob | undefined> {
  const { present, used, missing } = copying
  try {
    const sha256 = file.sha256 ?? (await measureFile(copying.blobs, file.key)).sha256
    const sizeBytes = present.get(sha256)
    const stored =
      sizeBytes === undefined ? await copyContent(copying, file.key, sha256) : { sha256, sizeBytes }
    if (stored) used.set(stored.sha256, stored.sizeBytes)
    else missing.push({ key: file.key, reason: 'it has another SHA-256 than it was stored with' })
    return stored
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'blob-not-found') throw error
    if (file.isRequired) missing.push({ key: file.key, reason: 'it is not in the file store' })
    return undefined
  }
}

async function copyContent(
  copying: CopyState,
  key: string,
  sha256: string,
): Promise<StoredBlob | undefined> {
  const { store, blobs, present, seal } = copying
  const target = `${nameContentFolder(seal.recipients)}${sha256}`
  const { chunks, result } = measureContent(await blobs.get(key))
  const { sizeBytes } = await store.put(target, await seal.close(chunks))
  if (result().sha256 !== sha256) {
    await store.delete(target)
    return undefined
  }
  present.set(sha256, sizeBytes)
  copying.newContents += 1
  copying.newBytes += sizeBytes
  return { sha256, sizeBytes }
}

async function measureFile(blobs: BlobStore, key: string): Promise<StoredBlob> {
  const { chunks, result } = measureContent(await blobs.get(key))
  for await (const chunk of chunks) void chunk
  return result()
}

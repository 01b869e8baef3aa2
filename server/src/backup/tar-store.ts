/**
 * A backup as one tar file (POSIX.1-1988 ustar, with the binary sizes of GNU tar for members of 8 GiB and more). Any `tar` lists
 * and unpacks it. Members are written one after the other; the size of each is filled in when it is known.
 */
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ConfigError } from '../config/config-error.ts'
import { describeFileFailure } from '../platform/file-failure.ts'
import { padToBlock, readTarHeader, TAR_BLOCK, TarError, writeTarHeader } from '../formats/tar.ts'
import { blobNotFound, type ByteRange, type ListedBlob } from '../platform/blobs/blob-store.ts'
import { measureContent } from '../platform/blobs/measured-content.ts'
import type { BackupStore } from './backup-store.ts'
import { damaged } from './problems.ts'

interface Member {
  key: string
  /** Where its first byte is in the file. */
  offset: number
  sizeBytes: number
}

interface Tar {
  path: string
  file: FileHandle
  members: Map<string, Member>
  /** Where the next member begins. */
  end: number
}

/** Writes to a temporary name, so that a file of the name is whole. */
export async function createTar(path: string): Promise<BackupStore> {
  const temporary = `${path}.partial`
  if (await exists(path)) throw new ConfigError(`${path} exists already. Name a new file.`)
  const file = await open(temporary, 'w+', 0o600).catch((error: unknown) => {
    throw new ConfigError(
      `${path} cannot be written: ${describeFileFailure(error) ?? String(error)}`,
    )
  })
  const tar: Tar = { path, file, members: new Map(), end: 0 }
  let isFinished = false
  return {
    ...readingFrom(tar),
    put: (key, content, options) => append(tar, { key, content, maxBytes: options?.maxBytes }),
    delete: (key) => dropLast(tar, key),
    finish: async () => {
      await endTar(tar)
      await file.sync()
      await rename(temporary, path)
      isFinished = true
    },
    close: async () => {
      await file.close()
      if (!isFinished) await rm(temporary, { force: true })
    },
  }
}

/** Writes into a file that is open and empty. `finish` ends the archive; the file stays open. */
export function appendTar(file: FileHandle, name: string): Pick<BackupStore, 'put' | 'finish'> {
  const tar: Tar = { path: name, file, members: new Map(), end: 0 }
  return {
    put: (key, content, options) => append(tar, { key, content, maxBytes: options?.maxBytes }),
    finish: () => endTar(tar),
  }
}

async function endTar({ file, end }: Tar): Promise<void> {
  await file.write(Buffer.alloc(2 * TAR_BLOCK), 0, 2 * TAR_BLOCK, end)
}

export async function openTar(path: string): Promise<BackupStore> {
  const file = await open(path, 'r')
  const tar: Tar = { path, file, members: new Map(), end: 0 }
  try {
    await readMembers(tar)
  } catch (error) {
    await file.close()
    throw error
  }
  return readingFrom(tar)
}

function readingFrom(tar: Tar): BackupStore {
  const refuse = () => Promise.reject(new Error(`${tar.path} is only read.`))
  return {
    name: tar.path,
    get: async (key, range) => readMember(tar, key, range),
    list: (prefix) => listMembers(tar, prefix),
    put: refuse,
    delete: refuse,
    finish: refuse,
    sweep: () => Promise.resolve(),
    close: () => tar.file.close(),
  }
}

/** Also a link that leads nowhere, or what this user may not read: a backup takes the place of nothing. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

async function append(
  tar: Tar,
  added: {
    key: string
    content: AsyncIterable<Uint8Array>
    maxBytes: number | undefined
  },
) {
  const offset = tar.end + TAR_BLOCK
  const { chunks, result } = measureContent(added.content, added.maxBytes)
  let at = offset
  for await (const chunk of chunks) {
    await tar.file.write(chunk, 0, chunk.byteLength, at)
    at += chunk.byteLength
  }
  const stored = result()
  await tar.file.write(writeTarHeader(added.key, stored.sizeBytes), 0, TAR_BLOCK, tar.end)
  const padding = padToBlock(at) - at
  await tar.file.write(Buffer.alloc(padding), 0, padding, at)
  tar.end = padToBlock(at)
  tar.members.set(added.key, { key: added.key, offset, sizeBytes: stored.sizeBytes })
  return stored
}

async function dropLast(tar: Tar, key: string): Promise<void> {
  const member = tar.members.get(key)
  if (!member) return
  if (padToBlock(member.offset + member.sizeBytes) !== tar.end)
    throw new Error(`${key} is not the last member of ${tar.path}.`)
  tar.end = member.offset - TAR_BLOCK
  tar.members.delete(key)
  await tar.file.truncate(tar.end)
}

// eslint-disable-next-line @typescript-eslint/require-await -- as the lists of other stores
async function* listMembers({ members }: Tar, prefix: string): AsyncGenerator<ListedBlob> {
  for (const { key, sizeBytes } of members.values())
    if (key.startsWith(prefix)) yield { key, sizeBytes, modifiedAt: new Date(0) }
}

function readMember({ file, members }: Tar, key: string, range?: ByteRange): Readable {
  const member = members.get(key)
  if (!member) throw blobNotFound(key)
  const { offset, sizeBytes } = member
  const start = offset + (range?.start ?? 0)
  const end = offset + (range ? range.end + 1 : sizeBytes)
  return Readable.from(readBytes(file, start, end), { objectMode: false })
}

const CHUNK = 256 * 1024

async function* readBytes(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    const wanted = Math.min(CHUNK, end - at)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function readMembers(tar: Tar): Promise<void> {
  const { size } = await tar.file.stat()
  const block = Buffer.alloc(TAR_BLOCK)
  for (let at = 0; ;) {
    const { bytesRead } = await tar.file.read(block, 0, TAR_BLOCK, at)
    const header = bytesRead < TAR_BLOCK ? 'broken' : readHeader(block)
    if (header === undefined) return
    if (header === 'broken')
      throw damaged(tar.path, at === 0 ? 'is not a tar file' : 'is cut off or altered')
    const { name: key, size: sizeBytes } = header
    const offset = at + TAR_BLOCK
    if (offset + sizeBytes > size) throw damaged(tar.path, `is cut off within ${key}`)
    tar.members.set(key, { key, offset, sizeBytes })
    at = padToBlock(offset + sizeBytes)
  }
}

function readHeader(block: Buffer) {
  try {
    return readTarHeader(block, 0)
  } catch (error) {
    if (error instanceof TarError) return 'broken'
    throw error
  }
}

/**
 * A backup as one tar file (POSIX.1-1988 ustar, with the binary sizes of GNU tar for members of 8 GiB and more). Any `tar` lists
 * and unpacks it. Members are written one after the other; the size of each is filled in when it is known.
 */
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ConfigError } from '../config/config.ts'
import { blobNotFound, type ByteRange, type ListedBlob } from '../platform/blobs/blob-store.ts'
import { measureContent } from '../platform/blobs/measured-content.ts'
import type { BackupStore } from './backup-store.ts'
import { damaged } from './problems.ts'

const BLOCK = 512

interface Member {
  key: string
  /** Of its first byte in the file. */
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
    throw new ConfigError(`${path} cannot be written: ${String(error)}`)
  })
  const tar: Tar = { path, file, members: new Map(), end: 0 }
  let isFinished = false
  return {
    ...readingFrom(tar),
    put: (key, content, options) => append(tar, { key, content, maxBytes: options?.maxBytes }),
    delete: (key) => dropLast(tar, key),
    finish: async () => {
      await file.write(Buffer.alloc(2 * BLOCK), 0, 2 * BLOCK, tar.end)
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

async function exists(path: string): Promise<boolean> {
  return open(path, 'r').then(
    async (file) => {
      await file.close()
      return true
    },
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
  const offset = tar.end + BLOCK
  const { chunks, result } = measureContent(added.content, added.maxBytes)
  let at = offset
  for await (const chunk of chunks) {
    await tar.file.write(chunk, 0, chunk.byteLength, at)
    at += chunk.byteLength
  }
  const stored = result()
  await tar.file.write(headerOf(added.key, stored.sizeBytes), 0, BLOCK, tar.end)
  const padding = padded(at) - at
  await tar.file.write(Buffer.alloc(padding), 0, padding, at)
  tar.end = padded(at)
  tar.members.set(added.key, { key: added.key, offset, sizeBytes: stored.sizeBytes })
  return stored
}

async function dropLast(tar: Tar, key: string): Promise<void> {
  const member = tar.members.get(key)
  if (!member) return
  if (padded(member.offset + member.sizeBytes) !== tar.end)
    throw new Error(`${key} is not the last member of ${tar.path}.`)
  tar.end = member.offset - BLOCK
  tar.members.delete(key)
  await tar.file.truncate(tar.end)
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK
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

/** The fields of a header: offset and length. */
const NAME = [0, 100] as const
const SIZE = [124, 12] as const
const CHECKSUM = [148, 8] as const
const PREFIX = [345, 155] as const
const MOST_OCTAL = 8 ** 11 - 1

function headerOf(key: string, sizeBytes: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const { name, prefix } = splitName(key)
  header.write(name, NAME[0])
  header.write(prefix, PREFIX[0])
  header.write('0000600\0', 100)
  for (const owner of [108, 116]) header.write('0000000\0', owner)
  writeSize(header, sizeBytes)
  header.write('00000000000\0', 136)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, CHECKSUM[0])
  return header
}

function splitName(key: string): { name: string; prefix: string } {
  if (key.length <= NAME[1]) return { name: key, prefix: '' }
  const at = key.indexOf('/', key.length - NAME[1] - 1)
  if (at < 0 || at > PREFIX[1]) throw new Error(`Too long for a tar file: ${key}`)
  return { name: key.slice(at + 1), prefix: key.slice(0, at) }
}

function writeSize(header: Buffer, sizeBytes: number): void {
  const [at, length] = SIZE
  if (sizeBytes <= MOST_OCTAL)
    header.write(`${sizeBytes.toString(8).padStart(length - 1, '0')}\0`, at)
  else {
    header[at] = 0x80
    header.writeBigUInt64BE(BigInt(sizeBytes), at + length - 8)
  }
}

function readSize(header: Buffer): number {
  const [at, length] = SIZE
  if (header[at] === 0x80) return Number(header.readBigUInt64BE(at + length - 8))
  return Number.parseInt(textOf(header, SIZE).trim(), 8)
}

/** The checksum is counted as if its own field were blank. */
function sumOf(header: Buffer): number {
  const [at, length] = CHECKSUM
  return header.reduce(
    (sum, byte, index) => sum + (index >= at && index < at + length ? 0x20 : byte),
    0,
  )
}

function textOf(header: Buffer, [at, length]: readonly [number, number]): string {
  return header.toString('latin1', at, at + length).replace(/\0.*$/s, '')
}

async function readMembers(tar: Tar): Promise<void> {
  const { size } = await tar.file.stat()
  const header = Buffer.alloc(BLOCK)
  for (let at = 0; ;) {
    const { bytesRead } = await tar.file.read(header, 0, BLOCK, at)
    if (bytesRead === BLOCK && header.every((byte) => byte === 0)) return
    const sizeBytes = readSize(header)
    const isHeader = Number.parseInt(textOf(header, CHECKSUM), 8) === sumOf(header)
    if (bytesRead < BLOCK || !isHeader || !Number.isSafeInteger(sizeBytes))
      throw damaged(tar.path, at === 0 ? 'is not a tar file' : 'is cut off or altered')
    const [prefix, name] = [textOf(header, PREFIX), textOf(header, NAME)]
    const key = prefix === '' ? name : `${prefix}/${name}`
    const offset = at + BLOCK
    if (offset + sizeBytes > size) throw damaged(tar.path, `is cut off within ${key}`)
    tar.members.set(key, { key, offset, sizeBytes })
    at = padded(offset + sizeBytes)
  }
}

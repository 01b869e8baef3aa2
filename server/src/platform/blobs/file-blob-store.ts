/**
 * Blobs as files. A blob is written in `.temporary/`, flushed and renamed. So it exists as a whole or not at all,
 * and an acknowledged blob is on the disk.
 */
import { randomUUID } from 'node:crypto'
import {
  access,
  constants,
  copyFile,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError, readCode } from '../errors.ts'
import {
  assertKey,
  assertPrefix,
  blobNotFound,
  type BlobStore,
  type ByteRange,
  type ListedBlob,
  type StoredBlob,
  type StoreFault,
} from './blob-store.ts'
import { measureContent } from './measured-content.ts'
import { explainStoreFault } from './store-fault.ts'

const TEMPORARY = '.temporary'
// The name holds host and process, to tell whether the file may still be written.
const TEMPORARY_NAME = /^(?<host>.*)\.(?<pid>\d+)\.[0-9a-f-]{36}$/

export function openFileBlobStore(directory: string): BlobStore {
  const root = resolve(directory)
  const pathOf = (key: string) => {
    assertKey(key)
    return join(root, key)
  }
  return {
    put: async (key, content, options) => putFile(root, pathOf(key), content, options?.maxBytes),
    get: async (key, range) => readFile(key, pathOf(key), range),
    download: async (key, path) => {
      await copyFile(pathOf(key), path).catch(notFoundAs(key))
    },
    localPath: pathOf,
    delete: async (key) => {
      await rm(pathOf(key), { force: true })
    },
    signedUrl: () => Promise.resolve(undefined),
    list: (prefix) => listFiles(root, prefix),
    findFault: () => findFault(root),
    sweepTemporary: (olderThan) => sweep(join(root, TEMPORARY), olderThan),
  }
}

/** A folder that is not there yet is made by the first upload. */
async function findFault(root: string): Promise<StoreFault | undefined> {
  try {
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return readCode(error) === 'ENOENT' ? undefined : explainStoreFault(error, root, 0)
  }
}

async function putFile(
  root: string,
  path: string,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number | undefined,
): Promise<StoredBlob> {
  const name = `${hostname()}.${process.pid}.${randomUUID()}`
  const temporary = join(root, TEMPORARY, name)
  try {
    await makeFolder(dirname(temporary))
    const stored = await writeAndFlush(temporary, content, maxBytes)
    await makeFolder(dirname(path))
    await rename(temporary, path)
    await flushFolder(dirname(path))
    return stored
  } catch (error) {
    await rm(temporary, { force: true })
    throw readCode(error) === 'ENOSPC' || readCode(error) === 'EDQUOT' ? storageFull() : error
  }
}

async function writeAndFlush(
  path: string,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number | undefined,
): Promise<StoredBlob> {
  const { chunks, result } = measureContent(content, maxBytes)
  await using file = await open(path, 'wx', 0o600)
  for await (const chunk of chunks) await file.writeFile(chunk)
  await file.sync()
  return result()
}

/** A new folder is durable only when each new folder above it is flushed, too. */
async function makeFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (firstMade === undefined) return
  for (let made = folder; made.length >= firstMade.length; made = dirname(made))
    await flushFolder(dirname(made))
}

async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}

async function readFile(key: string, path: string, range?: ByteRange): Promise<Readable> {
  const handle = await open(path, 'r').catch(notFoundAs(key))
  return handle.createReadStream(range)
}

async function* listFiles(root: string, prefix: string): AsyncGenerator<ListedBlob> {
  assertPrefix(prefix)
  const folder = join(root, prefix)
  const entries = await opendir(folder, { recursive: true }).catch(undefinedWhenAbsent)
  if (!entries) return
  for await (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const key = relative(root, path)
    if (!entry.isFile() || key.startsWith(TEMPORARY)) continue
    const found = await stat(path).catch(undefinedWhenAbsent)
    if (found) yield { key, sizeBytes: found.size, modifiedAt: found.mtime }
  }
}

async function sweep(folder: string, olderThan: Date): Promise<number> {
  const names = (await readdir(folder).catch(undefinedWhenAbsent)) ?? []
  let removed = 0
  for (const name of names) {
    const path = join(folder, name)
    const found = await stat(path).catch(undefinedWhenAbsent)
    if (!found || (found.mtime >= olderThan && mayBeInUse(name, found.mtime))) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}

/** Whether a process may still write the file. It cannot when it ran on this host and ended, even if this process has its number now. */
function mayBeInUse(name: string, modifiedAt: Date): boolean {
  const { host, pid } = TEMPORARY_NAME.exec(name)?.groups ?? {}
  if (host !== hostname()) return true
  const startedAt = Date.now() - process.uptime() * 1000
  if (Number(pid) === process.pid) return modifiedAt.getTime() >= startedAt
  return isRunning(Number(pid))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs, as another user.
    return readCode(error) !== 'ESRCH'
  }
}

function notFoundAs(key: string): (error: unknown) => never {
  return (error) => {
    throw readCode(error) === 'ENOENT' ? blobNotFound(key) : error
  }
}

function undefinedWhenAbsent(error: unknown): undefined {
  if (readCode(error) !== 'ENOENT') throw error
}

function storageFull(): AppError {
  return new AppError(
    'unavailable',
    'storage-full',
    'The disk is full: there is no space left to store the file. Make room, then do it again.',
  )
}

/** Blobs as files of this machine, for processes that read files. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobStore } from './blob-store.ts'
import { readCode } from '../errors.ts'

const FOLDER = /^plimsoll-copies-(\d+)-/

/** Gives the paths of the blobs, or of copies that are removed afterwards. */
export async function withLocalFiles<Result>(
  blobs: BlobStore,
  keys: readonly string[],
  use: (paths: string[]) => Promise<Result>,
): Promise<Result> {
  const local = keys.map((key) => blobs.localPath(key))
  const present = local.filter((path) => path !== undefined)
  if (present.length === keys.length) return use(present)
  const folder = await mkdtemp(join(tmpdir(), `plimsoll-copies-${process.pid}-`))
  try {
    const paths = keys.map((_key, index) => join(folder, String(index)))
    await Promise.all(keys.map((key, index) => blobs.download(key, join(folder, String(index)))))
    return await use(paths)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Gives a path for a file that is removed afterwards. */
export async function withTemporaryFile<Result>(
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), `plimsoll-copies-${process.pid}-`))
  try {
    return await use(join(folder, 'file'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Removes the copies of killed processes. Has to be called before this process makes copies. */
export async function sweepLocalCopies(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = FOLDER.exec(name) ?? []
    if (pid === undefined || isAnotherAlive(Number(pid))) continue
    await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAnotherAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process runs, as another user.
    return readCode(error) === 'EPERM'
  }
}

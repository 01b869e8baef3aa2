/** Files that are written whole or not at all: what was there stays until the new one is complete. */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, lstat, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { explainFileFault } from './file-faults.ts'
import { usageError } from './failure.ts'

const PERMISSIONS = 0o777

/**
 * A link stays, and the file that it names is replaced. A file that was there keeps its permissions, unless others are wanted. A device
 * or pipe, such as /dev/stdout, is written to as it is.
 */
export async function replaceFile(
  path: string,
  content: Readable,
  { mode }: { mode?: number } = {},
): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found && !found.isFile()) return pipeline(content, createWriteStream(path))
  const target = await findLinkedFile(path)
  const partial = `${target}.${randomUUID()}.partial`
  const wanted = mode ?? (found && found.mode & PERMISSIONS)
  try {
    const options = { flags: 'wx', flush: true, ...(mode !== undefined && { mode }) }
    await pipeline(content, createWriteStream(partial, options))
    if (wanted !== undefined) await chmod(partial, wanted)
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    const why = explainFolderFault(error, partial)
    throw why === undefined ? error : usageError(`Cannot write ${path}: ${why}.`)
  }
}

/** @returns undefined where it was not the new file that could not be made */
function explainFolderFault(error: unknown, partial: string): string | undefined {
  if (!(error instanceof Error && 'path' in error && error.path === partial)) return undefined
  const folder = dirname(partial)
  switch ('code' in error ? error.code : undefined) {
    case 'ENOENT':
      return `there is no folder ${folder}`
    case 'EACCES':
    case 'EPERM':
      return `this user may not make a file in ${folder}`
    default:
      return explainFileFault(error)
  }
}

const MOST_LINKS = 40

/** Where a link leads, also if no file is there yet. */
async function findLinkedFile(path: string): Promise<string> {
  let name = path
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const found = await lstat(name).catch(() => undefined)
    if (!found?.isSymbolicLink()) break
    name = resolve(await realpath(dirname(name)), await readlink(name))
  }
  return name
}

/** Compares stored files with the rows that refer to them. */
import { createHash } from 'node:crypto'
import type { BlobStore, StoredBlob } from '../blobs/blob-store.ts'
import { AppError } from '../errors.ts'
import { type CheckFaults, type ExamineOptions, MOST_SHOWN } from './check.ts'

export interface ReferredFile {
  key: string
  /** What refers to it, in words. */
  owner: string
  sizeBytes: number
  /** undefined: no row states it. */
  sha256: string | undefined
}

export interface FileReferences {
  /** All of its keys begin with this prefix. */
  prefix: string
  files: readonly ReferredFile[]
  /** Asked of a file that is missing: it may have been deleted since the rows were read. */
  isReferred: (file: ReferredFile) => Promise<boolean>
}

/** Call it with rows that were read before: files are stored before their rows, and deleted after them. */
export async function examineFiles(
  blobs: BlobStore,
  { prefix, files, isReferred }: FileReferences,
  { readsFiles }: ExamineOptions,
): Promise<CheckFaults> {
  const sizes = new Map<string, number>()
  if (files.length > 0)
    for await (const { key, sizeBytes } of blobs.list(prefix)) sizes.set(key, sizeBytes)
  const faults: string[] = []
  for (const file of files) {
    const fault = findFault(file, await measure(blobs, file, { sizes, readsFiles }))
    if (fault !== undefined && (await isReferred(file))) faults.push(`${file.owner}: ${fault}`)
  }
  const notJudged =
    readsFiles || files.length === 0
      ? []
      : [`bytes of ${files.length === 1 ? 'one file' : `${files.length} files`}: not read`]
  return { faultCount: faults.length, faults: faults.slice(0, MOST_SHOWN), notJudged }
}

/** undefined: there is no such file. */
async function measure(
  blobs: BlobStore,
  { key, sha256 }: ReferredFile,
  { sizes, readsFiles }: { sizes: ReadonlyMap<string, number>; readsFiles: boolean },
): Promise<Partial<StoredBlob> | undefined> {
  const sizeBytes = sizes.get(key)
  if (sizeBytes === undefined) return undefined
  if (!readsFiles || sha256 === undefined) return { sizeBytes }
  try {
    return await readWhole(blobs, key)
  } catch (error) {
    if (error instanceof AppError && error.code === 'blob-not-found') return undefined
    throw error
  }
}

async function readWhole(blobs: BlobStore, key: string): Promise<StoredBlob> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of await blobs.get(key)) {
    const bytes = chunk as Uint8Array
    sizeBytes += bytes.byteLength
    hash.update(bytes)
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

function findFault(
  { key, sizeBytes, sha256 }: ReferredFile,
  stored: Partial<StoredBlob> | undefined,
): string | undefined {
  if (!stored) return `the file ${key} is missing`
  if (stored.sizeBytes !== sizeBytes)
    return `the file ${key} has ${stored.sizeBytes} bytes instead of ${sizeBytes}`
  if (sha256 !== undefined && stored.sha256 !== undefined && stored.sha256 !== sha256)
    return `the file ${key} has another SHA-256 than it was stored with`
  return undefined
}

/** Sweeps delete files without a row once they are an hour old; these are left over by a sweep. */
const LEFT_OVER_MS = 3 * 3_600_000

/** By the clock of this machine, as that of files. */
export const computeLeftOverInstant = () => new Date(Date.now() - LEFT_OVER_MS)

export async function examineLeftOvers(keys: AsyncIterable<string>): Promise<CheckFaults> {
  const faults: string[] = []
  for await (const key of keys) faults.push(`no row refers to the file ${key}`)
  return { faultCount: faults.length, faults: faults.slice(0, MOST_SHOWN) }
}

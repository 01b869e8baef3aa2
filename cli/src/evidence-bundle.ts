/** Reads an evidence bundle, packed or unpacked, and says what differs from what was signed. It asks no service. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  compareSums,
  parseSums,
  PUBLIC_KEY,
  SIGNATURE,
  type SumDifferences,
  SUMS,
} from '../../server/src/formats/evidence-sums.ts'
import { padToBlock, readTarHeader, TAR_BLOCK, TarError } from '../../server/src/formats/tar.ts'
import { usageError } from './failure.ts'
import { explainFileFault, findFileFault } from './file-faults.ts'

export interface VerifiedEvidence extends SumDifferences {
  isIntact: boolean
  fileCount: number
  /** SHA-256 of the key that it was verified with; null: there is none. */
  fingerprint: string | null
  /** What is wrong with the bundle as a whole. */
  faults: string[]
}

interface FoundBundle {
  /** SHA-256 by name. */
  sums: Map<string, string>
  /** The bytes of the files that say what it holds. */
  kept: Map<string, Buffer>
  faults: string[]
}

/** `keyPath`: a public key that was got from the manufacturer, instead of that of the bundle. */
export async function verifyEvidence(
  path: string,
  keyPath: string | undefined,
): Promise<VerifiedEvidence> {
  const found = await readBundle(path).catch((error: unknown) => {
    const why = findFileFault(error)
    throw why === undefined ? error : usageError(`Cannot read ${path}: ${why}.`)
  })
  const listing = found.kept.get(SUMS)
  if (!listing && found.faults.length === 0)
    throw usageError(`${path} is no evidence bundle: it has no ${SUMS}.`)
  const expected = listing && parseSums(listing.toString('utf8'))
  const key = await readKey(found, keyPath)
  const faults = [
    ...found.faults,
    ...(listing && !expected ? [`${SUMS} is not a list of sums`] : []),
    ...checkSignature(found, key),
  ]
  const differences = compareSums(expected ?? new Map(), found.sums)
  const { changed, missing, added, renamed } = differences
  const isSame = changed.length + missing.length + added.length + renamed.length === 0
  return {
    isIntact: isSame && faults.length === 0,
    fileCount: expected?.size ?? 0,
    fingerprint: key ? nameKey(key) : null,
    faults,
    ...differences,
  }
}

const nameKey = (key: KeyObject) =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')

async function readKey(
  { kept }: FoundBundle,
  keyPath: string | undefined,
): Promise<KeyObject | undefined> {
  const pem =
    keyPath === undefined
      ? kept.get(PUBLIC_KEY)
      : await readFile(keyPath).catch((error: unknown) => {
          throw usageError(`Cannot read ${keyPath}: ${explainFileFault(error) ?? String(error)}.`)
        })
  if (!pem) return undefined
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below.
  }
  if (keyPath === undefined) return undefined
  throw usageError(`${keyPath} is no public key of Ed25519 in PEM.`)
}

function checkSignature({ kept }: FoundBundle, key: KeyObject | undefined): string[] {
  const [listing, signature] = [kept.get(SUMS), kept.get(SIGNATURE)]
  if (!listing) return [`${SUMS} is missing`]
  if (!key) return [`${PUBLIC_KEY} is missing or no key of Ed25519`]
  if (!signature) return [`${SIGNATURE} is missing`]
  return verify(null, listing, key, signature)
    ? []
    : [`${SUMS} was not signed by this key: it was changed, or the key is another one`]
}

const KEPT: ReadonlySet<string> = new Set([SUMS, SIGNATURE, PUBLIC_KEY])
/** Of a list of 500,000 files. */
const MOST_KEPT_BYTES = 128 * 1024 * 1024

async function readBundle(path: string): Promise<FoundBundle> {
  const found: FoundBundle = { sums: new Map(), kept: new Map(), faults: [] }
  if ((await stat(path)).isDirectory()) await readFolder(found, path)
  else await readArchive(found, path)
  return found
}

async function readFolder(found: FoundBundle, folder: string, prefix = ''): Promise<void> {
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const name = `${prefix}${entry.name}`
    if (entry.isDirectory()) await readFolder(found, folder, `${name}/`)
    else if (entry.isFile()) await take(found, name, createReadStream(join(folder, name)))
    else found.sums.set(name, 'not a file')
  }
}

async function take(
  { sums, kept, faults }: FoundBundle,
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const hash = createHash('sha256')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of content) {
    hash.update(chunk)
    size += chunk.byteLength
    if (KEPT.has(name) && size <= MOST_KEPT_BYTES) chunks.push(chunk)
  }
  if (sums.has(name)) faults.push(`${name} is there twice`)
  sums.set(name, hash.digest('hex'))
  if (KEPT.has(name)) kept.set(name, Buffer.concat(chunks))
}

async function readArchive(found: FoundBundle, path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await readMembers(found, file)
  } catch (error) {
    if (!(error instanceof TarError)) throw error
    found.faults.push(
      found.sums.size === 0 ? 'this is not a tar file' : 'the tar file is cut off or altered',
    )
  } finally {
    await file.close()
  }
}

async function readMembers(found: FoundBundle, file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  const block = Buffer.alloc(TAR_BLOCK)
  let at = 0
  for (;;) {
    const { bytesRead } = await file.read(block, 0, TAR_BLOCK, at)
    if (bytesRead < TAR_BLOCK) throw new TarError('No end.')
    const header = readTarHeader(block, at)
    if (!header) break
    const start = at + TAR_BLOCK
    if (start + header.size > size) throw new TarError('A member is cut off.')
    await take(found, header.name, readBytes(file, start, start + header.size))
    at = start + padToBlock(header.size)
    if (!(await isBlank(file, start + header.size, at)))
      found.faults.push(`the tar file has bytes behind ${header.name}`)
  }
  if (!(await isBlank(file, at, size))) found.faults.push('the tar file goes on after its end')
}

async function isBlank(file: FileHandle, start: number, end: number): Promise<boolean> {
  for await (const chunk of readBytes(file, start, end))
    if (chunk.some((byte) => byte !== 0)) return false
  return true
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

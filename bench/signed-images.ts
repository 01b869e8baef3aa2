/** Files that `bench/large-image.ts` uploads: images of gibibytes, and small ones with ten signatures. */
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { entryHeader, entryOf } from '../server/test/given-swu.ts'

const BLOCK_BYTES = 4096
const HASH_BYTES = 32
const PIECE_BYTES = 1024 * 1024

/** The same each time. */
const FILLING = randomBytes(PIECE_BYTES)

/** One MiB after the other, each another one and none that compresses. */
function* makePieces(bytes: number): Generator<Buffer> {
  const piece = Buffer.from(FILLING)
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    piece.writeUIntLE(at, 0, 6)
    yield piece.subarray(0, Math.min(PIECE_BYTES, bytes - at))
  }
}

/** A message of CMS by all of these, which lie in the folder as NAME.pem and NAME.key. */
export function signCms(
  folder: string,
  content: Buffer | string,
  { signers, isAttached = false }: { signers: readonly string[]; isAttached?: boolean },
): Buffer {
  const [plain, message] = [join(folder, 'signed'), join(folder, 'message')]
  writeFileSync(plain, content)
  const by = signers.flatMap((one) => [
    '-signer',
    join(folder, `${one}.pem`),
    '-inkey',
    join(folder, `${one}.key`),
  ])
  const form = ['-outform', 'DER', '-binary', '-nosmimecap', ...(isAttached ? ['-nodetach'] : [])]
  execFileSync('openssl', ['cms', '-sign', '-in', plain, '-out', message, ...by, ...form], {
    stdio: 'pipe',
  })
  return readFileSync(message)
}

/** A certificate that signed itself. */
export function makeCertificate(folder: string, name: string, key: readonly string[]): string {
  const [path, extensions] = [
    join(folder, `${name}.pem`),
    ['keyUsage=digitalSignature', 'extendedKeyUsage=emailProtection'],
  ]
  const named = ['-subj', `/CN=${name}`, '-days', '30', '-nodes']
  const files = ['-keyout', join(folder, `${name}.key`), '-out', path]
  const added = extensions.flatMap((one) => ['-addext', one])
  execFileSync('openssl', ['req', '-x509', ...key, ...named, ...files, ...added], { stdio: 'pipe' })
  return readFileSync(path, 'utf8')
}

interface LargeFile {
  folder: string
  path: string
  /** At most. */
  bytes: number
  signers: readonly string[]
}

/** A bundle of RAUC with a hash tree (verity): what describes and signs it stands at its end. */
export function writeBundle({ folder, path, bytes, signers }: LargeFile): void {
  const salt = randomBytes(HASH_BYTES)
  const hash = (block: Buffer) => createHash('sha256').update(salt).update(block).digest()
  // A tree takes a 127th of what it covers; the last blocks are for the message.
  const blocks = Math.floor((bytes / BLOCK_BYTES / 128) * 127) - 32
  const file = openSync(path, 'w')
  let level: Buffer = Buffer.alloc(blocks * HASH_BYTES)
  let filled = 0
  for (const piece of makePieces(blocks * BLOCK_BYTES)) {
    writeSync(file, piece)
    for (let at = 0; at < piece.length; at += BLOCK_BYTES)
      filled += hash(piece.subarray(at, at + BLOCK_BYTES)).copy(level, filled)
  }
  const levels: Buffer[] = []
  while (level.length > HASH_BYTES) {
    const padded = Buffer.concat([
      level,
      Buffer.alloc((BLOCK_BYTES - (level.length % BLOCK_BYTES)) % BLOCK_BYTES),
    ])
    levels.unshift(padded)
    level = Buffer.concat(
      Array.from({ length: padded.length / BLOCK_BYTES }, (_, index) =>
        hash(padded.subarray(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES)),
      ),
    )
  }
  const tree = Buffer.concat(levels)
  const manifest = `[update]\ncompatible=gateway\nversion=1\n[bundle]\nformat=verity\nverity-hash=${level.toString('hex')}\nverity-salt=${salt.toString('hex')}\nverity-size=${tree.length}\n`
  const message = signCms(folder, manifest, { signers, isAttached: true })
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(message.length))
  for (const part of [tree, message, size]) writeSync(file, part)
  closeSync(file)
}

/** An update file of SWUpdate with checksums. `isAtEnd`: sw-description comes last, where no device looks for it. */
export function writeSwu({
  folder,
  path,
  bytes,
  signers,
  isAtEnd = false,
}: LargeFile & { isAtEnd?: boolean }): void {
  // A size has 32 bits, and the rest has to fit as well. Nothing is to be padded.
  const size = bytes - 64 * 1024
  const digest = createHash('sha256')
  let sum = 0
  for (const piece of makePieces(size)) {
    digest.update(piece)
    sum = addBytes(sum, piece)
  }
  const described = describeSoftware(folder, digest.digest('hex'), signers)
  const file = openSync(path, 'w')
  if (!isAtEnd) writeSync(file, described)
  writeSync(file, entryHeader('rootfs.img', size, sum))
  for (const piece of makePieces(size)) writeSync(file, piece)
  if (isAtEnd) writeSync(file, described)
  writeSync(file, entryHeader('TRAILER!!!', 0, 0))
  closeSync(file)
}

const addBytes = (sum: number, bytes: Buffer) => {
  let total = sum
  for (const byte of bytes) total = (total + byte) >>> 0
  return total
}

function describeSoftware(folder: string, sha256: string, signers: readonly string[]): Buffer {
  const text = Buffer.from(
    `software = {\n  version = "1";\n  images: ({ filename = "rootfs.img"; sha256 = "${sha256}"; });\n}\n`,
  )
  return Buffer.concat([
    entryOf('sw-description', text),
    entryOf('sw-description.sig', signCms(folder, text, { signers })),
  ])
}

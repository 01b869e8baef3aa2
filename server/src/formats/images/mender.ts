/**
 * Artifacts of Mender, version 3: a tar whose member `manifest` has the SHA-256 of all that is signed
 * (https://github.com/mendersoftware/mender-artifact/blob/master/Documentation/artifact-format-v3.md).
 */
import { createHash, type Hash } from 'node:crypto'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as zlib from 'node:zlib'
import { isTar, padToBlock, readTar, readTarHeader, TAR_BLOCK, TarError } from '../tar.ts'
import { type ImageBytes, noteBehindEnd, readBytes } from './image-bytes.ts'
import {
  describeImage,
  type ImageFacts,
  ImageFault,
  ImageObstacle,
  type ImageStatement,
  NOTHING_STATED,
} from './image-facts.ts'
import type { LimitedKeys } from './key-tries.ts'
import { checkManifest } from './mender-signature.ts'

const MOST_MEMBERS = 1_000
const MOST_SMALL_BYTES = 1024 * 1024
/** What all payloads may unpack to. */
const MOST_UNPACKED_BYTES = 16 * 1024 ** 3

interface Member {
  name: string
  start: number
  size: number
}

/** A tar whose first member is called `version`. */
export function isMender(start: Buffer): boolean {
  return isTar(start) && start.toString('latin1', 0, 8) === 'version\0'
}

export async function examineMender(image: ImageBytes, keys: LimitedKeys): Promise<ImageFacts> {
  try {
    return await examine(image, keys)
  } catch (error) {
    if (error instanceof TarError) throw new ImageFault(error.message)
    if (isUnpackingError(error))
      throw new ImageFault('A part of the artifact cannot be unpacked: it was changed or cut off.')
    throw error
  }
}

const isUnpackingError = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(?:Z_|ZSTD_|ERR_BUFFER)/.test(String(error.code))

async function examine(image: ImageBytes, keys: LimitedKeys): Promise<ImageFacts> {
  const { members, end } = await listMembers(image)
  const find = (name: string) => members.find((one) => one.name === name)
  const version = await readSmall(image, find('version'))
  if (!/"format"\s*:\s*"mender"/.test(version.toString()))
    throw new ImageFault('The artifact does not state that it is one of Mender.')
  const manifest = await readSmall(image, find('manifest'))
  const signature = find('manifest.sig')
  const signatures = signature
    ? [await checkManifest((await readSmall(image, signature)).toString('latin1'), manifest, keys)]
    : []
  const header = members.find(({ name }) => /^header\.tar(?:\.\w+)?$/.test(name))
  const files = parseManifest(manifest.toString())
  const isAugmented = find('manifest-augment') !== undefined
  return describeImage('Mender', {
    statement: readStatement(await unpackHeader(image, header)),
    signatures,
    fault: await findChanged(image, members, files),
    notes: [
      ...(isAugmented ? ['What manifest-augment adds is not signed, and is not checked.'] : []),
      ...(await noteBehindEnd(image, end)),
    ],
    hashes: [...files]
      .filter(([name]) => name.startsWith('data/'))
      .map(([name, value]) => ({ of: name.replace(/^data\/\d+\//, ''), value })),
  })
}

/** `end`: where the archive ends. */
async function listMembers(image: ImageBytes): Promise<{ members: Member[]; end: number }> {
  const members: Member[] = []
  let at = 0
  while (at + TAR_BLOCK <= image.size) {
    const header = readTarHeader(await image.read(at, TAR_BLOCK), at)
    if (!header) break
    const { name, size } = header
    const start = at + TAR_BLOCK
    if (start + size > image.size)
      throw new ImageFault(`The artifact ends within ${JSON.stringify(name)}: it was cut off.`)
    if (members.some((one) => one.name === name))
      throw new ImageFault(`The artifact has ${JSON.stringify(name)} twice.`)
    if (members.length === MOST_MEMBERS)
      throw new ImageFault(`The artifact has more than ${MOST_MEMBERS} members.`)
    members.push({ name, start, size })
    at = start + padToBlock(size)
  }
  return { members, end: Math.min(at, image.size) }
}

async function readSmall(image: ImageBytes, member: Member | undefined): Promise<Buffer> {
  if (!member) throw new ImageFault('The artifact lacks its version, manifest or header.')
  if (member.size > MOST_SMALL_BYTES)
    throw new ImageFault(`${member.name} has ${member.size} bytes; ${MOST_SMALL_BYTES} are read.`)
  return readBytes(image, member.start, member.start + member.size)
}

function parseManifest(text: string): Map<string, string> {
  const hashes = new Map<string, string>()
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, hash = '', name = ''] = /^([0-9a-f]{64})\s+(\S.*)$/.exec(line) ?? []
    if (name === '' || hashes.has(name))
      throw new ImageFault('The manifest has a line that cannot be read, or a name twice.')
    hashes.set(name, hash)
  }
  return hashes
}

async function unpackHeader(image: ImageBytes, member: Member | undefined): Promise<unknown> {
  const packed = await readSmall(image, member)
  const most = { maxOutputLength: 4 * MOST_SMALL_BYTES }
  const name = member?.name ?? ''
  const bytes = name.endsWith('.gz')
    ? zlib.gunzipSync(packed, most)
    : name.endsWith('.zst')
      ? requireZstd().zstdDecompressSync(packed, most)
      : name.endsWith('.tar')
        ? packed
        : refuseXz()
  const files = readTar(bytes).map((one) => [one.name, Buffer.from(one.bytes).toString()] as const)
  const parse = (text: string | undefined) =>
    text === undefined || text === '' ? {} : readJson(text)
  const byName = new Map(files)
  return {
    ...parse(byName.get('header-info')),
    typeInfo: parse(byName.get('headers/0000/type-info')),
  }
}

/** Node has it from 22.15 on; the command line runs on older ones, too. */
function requireZstd(): typeof zlib {
  if (!('createZstdDecompress' in zlib))
    throw new ImageObstacle(
      'An artifact of Mender packed by zstd: recognised, not checked, because Node unpacks zstd from version 22.15 on.',
    )
  return zlib
}

function refuseXz(): never {
  throw new ImageObstacle(
    'An artifact of Mender packed by xz: recognised, not checked, because xz is not unpacked here. Use gzip or zstd.',
  )
}

function readJson(text: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(text)
    if (isGroup(read)) return read
  } catch {
    // Told below.
  }
  throw new ImageFault('The header of the artifact is no JSON that can be read.')
}

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const MOST_HARDWARE = 100

/** The version of the software where it is given, else the name of the artifact. */
function readStatement(header: unknown): ImageStatement {
  const group = (value: unknown) => (isGroup(value) ? value : {})
  const info = group(header)
  const provides = group(group(info['typeInfo'])['artifact_provides'])
  const software = Object.entries(provides).find(([name]) => name.endsWith('.version'))?.[1]
  const name = group(info['artifact_provides'])['artifact_name']
  const version = software ?? name
  const devices = group(info['artifact_depends'])['device_type']
  const hardware = Array.isArray(devices) ? devices.filter((one) => typeof one === 'string') : []
  return {
    ...NOTHING_STATED,
    version: typeof version === 'string' ? version : null,
    hardware: hardware.slice(0, MOST_HARDWARE),
  }
}

async function findChanged(
  image: ImageBytes,
  members: readonly Member[],
  stated: ReadonlyMap<string, string>,
): Promise<string | null> {
  const found = new Map<string, string>()
  const room = { left: MOST_UNPACKED_BYTES }
  for (const member of members) {
    const folder = /^(data\/\d{4})\.tar(?:\.\w+)?$/.exec(member.name)?.[1]
    if (folder === undefined) found.set(member.name, await hashMember(image, member))
    else
      for (const [name, hash] of await hashPayload(image, member, room))
        found.set(`${folder}/${name}`, hash)
  }
  for (const [name, hash] of stated)
    if (found.get(name) !== hash)
      return found.has(name)
        ? `The SHA-256 of ${JSON.stringify(name)} is another than the manifest states: it was changed or damaged.`
        : `The manifest names ${JSON.stringify(name)}, which the artifact does not have.`
  const other = [...found.keys()].find((name) => !stated.has(name) && !UNSIGNED.test(name))
  return other === undefined
    ? null
    : `The artifact has ${JSON.stringify(other)}, which the manifest does not name.`
}

const UNSIGNED = /^(?:manifest(?:\.sig|-augment)?|header-augment\.tar(?:\.\w+)?)$/

async function hashMember(image: ImageBytes, { start, size }: Member): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of image.stream(start, start + size)) hash.update(piece)
  return hash.digest('hex')
}

/** The files of a payload, unpacked piece by piece. */
async function hashPayload(
  image: ImageBytes,
  { name, start, size }: Member,
  room: { left: number },
): Promise<ReadonlyMap<string, string>> {
  const files = new TarHashes(room)
  await pipeline(
    Readable.from(image.stream(start, start + size)),
    createUnpacker(name),
    async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) files.add(piece)
    },
  )
  return files.finish()
}

function createUnpacker(name: string): Transform {
  if (name.endsWith('.gz')) return zlib.createGunzip()
  if (name.endsWith('.zst')) return requireZstd().createZstdDecompress()
  if (!name.endsWith('.tar')) refuseXz()
  return new Transform({ transform: (piece: Buffer, _encoding, done) => done(null, piece) })
}

/** Hashes the files of a tar that arrives in pieces. */
class TarHashes {
  private readonly hashes = new Map<string, string>()
  private readonly room: { left: number }
  private header = Buffer.alloc(0)
  private at = 0
  private open: { name: string; hash: Hash; left: number; padding: number } | undefined
  private hasEnded = false

  constructor(room: { left: number }) {
    this.room = room
  }

  add(piece: Uint8Array): void {
    this.room.left -= piece.length
    if (this.room.left < 0)
      throw new ImageObstacle(
        `The payloads unpack to more than ${MOST_UNPACKED_BYTES / 1024 ** 3} GiB, which are not looked at.`,
      )
    for (let rest = piece; rest.length > 0 && !this.hasEnded;) rest = this.take(rest)
  }

  finish(): ReadonlyMap<string, string> {
    if (this.open || this.header.length > 0) throw new TarError('A payload ends too early.')
    return this.hashes
  }

  private take(piece: Uint8Array): Uint8Array {
    if (this.open) return this.takeContent(this.open, piece)
    const needed = TAR_BLOCK - this.header.length
    this.header = Buffer.concat([this.header, piece.subarray(0, needed)])
    if (this.header.length === TAR_BLOCK) this.beginFile()
    return piece.subarray(needed)
  }

  private beginFile(): void {
    const header = readTarHeader(this.header, this.at)
    this.header = Buffer.alloc(0)
    this.at += TAR_BLOCK
    if (!header) {
      this.hasEnded = true
      return
    }
    const { name, size, isFile } = header
    if (!isFile)
      throw new ImageObstacle(
        'A payload has a member that is no plain file, or a name of more than 255 bytes.',
      )
    if (this.hashes.has(name)) throw new ImageFault(`A payload has ${JSON.stringify(name)} twice.`)
    if (this.hashes.size === MOST_MEMBERS)
      throw new ImageFault(`A payload has more than ${MOST_MEMBERS} files.`)
    this.open = { name, hash: createHash('sha256'), left: size, padding: padToBlock(size) - size }
    this.closeIfFull(this.open)
  }

  private takeContent(open: NonNullable<TarHashes['open']>, piece: Uint8Array): Uint8Array {
    const own = piece.subarray(0, open.left)
    open.hash.update(own)
    open.left -= own.length
    const behind = piece.subarray(own.length)
    const padding = Math.min(open.left === 0 ? open.padding : 0, behind.length)
    open.padding -= padding
    this.closeIfFull(open)
    return behind.subarray(padding)
  }

  private closeIfFull(open: NonNullable<TarHashes['open']>): void {
    if (open.left > 0 || open.padding > 0) return
    this.hashes.set(open.name, open.hash.digest('hex'))
    this.open = undefined
  }
}

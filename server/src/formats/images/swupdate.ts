/**
 * Update files of SWUpdate: a cpio archive whose first member, sw-description, is signed and holds the hashes of the others
 * (https://sbabic.github.io/swupdate/signed_images.html).
 */
import { constants, createHash } from 'node:crypto'
import { checkCms, hashContent, isCms, MOST_CMS_BYTES, parseCms } from './cms.ts'
import { type CpioMember, listMembers } from './cpio.ts'
import { type ImageBytes, noteBehindEnd } from './image-bytes.ts'
import {
  describeImage,
  type ImageFacts,
  ImageFault,
  ImageObstacle,
  type ImageStatement,
  type SignatureFact,
} from './image-facts.ts'
import { parseLibconfig } from './libconfig.ts'
import { findSigner, type LimitedKeys, tellNoSigner } from './key-tries.ts'
import type { PublicKey } from './public-keys.ts'
import { isRsaSignature, isSignatureOf, type SignatureScheme } from './signature-schemes.ts'
import { TEST_KEYS } from './test-keys.ts'

const DESCRIPTION = 'sw-description'
const SIGNATURE = 'sw-description.sig'
const MOST_DESCRIPTION_BYTES = 1024 * 1024

/** `start`: of a cpio archive. Also one whose description does not come first, which devices refuse. */
export async function isSwupdate(image: ImageBytes, start: Buffer): Promise<boolean> {
  if (start.toString('latin1', 110, 110 + DESCRIPTION.length + 1) === `${DESCRIPTION}\0`)
    return true
  try {
    return (await listMembers(image)).members.some(({ name }) => name === DESCRIPTION)
  } catch (error) {
    if (error instanceof ImageFault) return false
    throw error
  }
}

export async function examineSwupdate(image: ImageBytes, keys: LimitedKeys): Promise<ImageFacts> {
  const { members, end } = await listMembers(image)
  const byName = new Map(members.map((member) => [member.name, member]))
  const again = members.find((member) => byName.get(member.name) !== member)
  if (again) throw new ImageFault(`The archive has ${JSON.stringify(again.name)} twice.`)
  const [first] = members
  if (first?.name !== DESCRIPTION)
    throw new ImageFault(
      'sw-description is not the first member of the archive, so SWUpdate refuses the file.',
    )
  const description = await readSmall(image, first, MOST_DESCRIPTION_BYTES)
  const settings = parseDescription(description.toString('utf8'))
  const stated = readStated(settings)
  const signature = byName.get(SIGNATURE)
  const signatures = signature
    ? await checkSignature(await readSmall(image, signature, MOST_CMS_BYTES), description, keys)
    : []
  const fault =
    findMissing(stated.files, { byName, isSigned: signatures.length > 0 }) ??
    (await findChanged(image, { members, files: stated.files }))
  return describeImage('SWUpdate', {
    statement: stated.statement,
    signatures,
    fault,
    notes: [...listNotes(members, stated.files), ...(await noteBehindEnd(image, end))],
    hashes: stated.files.flatMap(({ name, sha256 }) =>
      typeof sha256 === 'string' ? [{ of: name, value: sha256.toLowerCase() }] : [],
    ),
  })
}

async function readSmall(
  image: ImageBytes,
  { name, start, size }: CpioMember,
  most: number,
): Promise<Buffer> {
  if (size > most) throw new ImageFault(`${name} has ${size} bytes; at most ${most} are read.`)
  return image.read(start, size)
}

function parseDescription(text: string): Record<string, unknown> {
  const start = text.trimStart()[0]
  if (start === '<')
    throw new ImageObstacle('sw-description is XML for a parser in Lua, which only the device has.')
  if (text.includes('\uFFFD'))
    throw new ImageObstacle('sw-description is encrypted, or no text in UTF-8.')
  const read = start === '{' ? parseJson(text) : parseLibconfig(text)
  const { software } = read
  if (!isGroup(software)) throw new ImageFault('sw-description states no software.')
  return software
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(text)
    if (isGroup(read)) return read
  } catch {
    // Told below.
  }
  throw new ImageFault('sw-description is no JSON that can be read.')
}

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface NamedFile {
  name: string
  /** As the description has it. */
  sha256: unknown
}

const MOST_HARDWARE = 100
const DEEPEST = 32

/** Files may stand in groups for boards, software sets and modes, at any depth. */
function readStated(software: Record<string, unknown>): {
  statement: ImageStatement
  files: NamedFile[]
} {
  const files: NamedFile[] = []
  const hardware = new Set<string>()
  const visit = (value: unknown, depth: number) => {
    if (depth > DEEPEST) throw new ImageFault(`sw-description is nested deeper than ${DEEPEST}.`)
    if (Array.isArray(value)) for (const one of value) visit(one, depth + 1)
    if (!isGroup(value)) return
    if (typeof value['filename'] === 'string')
      files.push({ name: value['filename'], sha256: value['sha256'] })
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'hardware-compatibility' && Array.isArray(inner)) addTexts(hardware, inner)
      visit(inner, depth + 1)
    }
  }
  visit(software, 0)
  const { version } = software
  return {
    statement: {
      version: typeof version === 'string' ? version : null,
      compatible: null,
      hardware: [...hardware].slice(0, MOST_HARDWARE),
      securityCounter: null,
    },
    files,
  }
}

function addTexts(texts: Set<string>, values: readonly unknown[]): void {
  for (const one of values) if (typeof one === 'string') texts.add(one)
}

function findMissing(
  files: readonly NamedFile[],
  { byName, isSigned }: { byName: ReadonlyMap<string, CpioMember>; isSigned: boolean },
): string | null {
  for (const { name, sha256 } of files) {
    if (!byName.has(name))
      return `sw-description names ${JSON.stringify(name)}, which the archive does not have.`
    if (sha256 === undefined && !isSigned) continue
    if (typeof sha256 !== 'string' || !/^[0-9a-fA-F]{64}$/.test(sha256))
      return `sw-description has no SHA-256 of ${JSON.stringify(name)}, so the signature does not cover it and SWUpdate refuses the file.`
  }
  return null
}

/** Each member is read once, whether the description names it or not. */
async function findChanged(
  image: ImageBytes,
  { members, files }: { members: readonly CpioMember[]; files: readonly NamedFile[] },
): Promise<string | null> {
  const stated = groupByName(files)
  for (const { name, start, size, checksum } of members) {
    const expected = stated.get(name) ?? []
    const hash = createHash('sha256')
    let sum = 0
    for await (const piece of image.stream(start, start + size)) {
      hash.update(piece)
      if (checksum !== undefined) sum = addBytes(sum, piece)
    }
    if (checksum !== undefined && sum !== checksum)
      return `The checksum of ${JSON.stringify(name)} in the archive is wrong: it was damaged.`
    const digest = hash.digest('hex')
    if (
      expected.some(({ sha256 }) => typeof sha256 === 'string' && sha256.toLowerCase() !== digest)
    )
      return `The SHA-256 of ${JSON.stringify(name)} is another than sw-description states: it was changed or damaged.`
  }
  return null
}

/** The oldest Node that runs the command line has no Map.groupBy. */
function groupByName(files: readonly NamedFile[]): ReadonlyMap<string, readonly NamedFile[]> {
  const groups = new Map<string, NamedFile[]>()
  for (const file of files) {
    const group = groups.get(file.name)
    if (group) group.push(file)
    else groups.set(file.name, [file])
  }
  return groups
}

function addBytes(sum: number, bytes: Uint8Array): number {
  let total = sum
  for (const byte of bytes) total = (total + byte) >>> 0
  return total
}

function listNotes(members: readonly CpioMember[], files: readonly NamedFile[]): string[] {
  const named = new Set(files.map(({ name }) => name))
  const others = members
    .map(({ name }) => name)
    .filter((name) => !named.has(name) && name !== DESCRIPTION && name !== SIGNATURE)
  if (others.length === 0) return []
  const shown = others.slice(0, 5).map((name) => JSON.stringify(name))
  return [
    `sw-description does not name ${shown.join(', ')}${others.length > 5 ? ' and more' : ''}, so no signature covers them; SWUpdate skips them.`,
  ]
}

async function checkSignature(
  signature: Buffer,
  description: Buffer,
  keys: LimitedKeys,
): Promise<SignatureFact[]> {
  if (isCms(signature)) return checkCms(parseCms(signature), hashContent(description), keys)
  const base = { keyId: null, keyFingerprint: null, certificates: [] }
  if (isOpenPgp(signature))
    return [
      {
        ...base,
        scheme: 'OpenPGP',
        outcome: 'NotSupported',
        detail: 'Signatures of OpenPGP are not checked: use RSA or CMS.',
      },
    ]
  const findScheme = ({ key }: PublicKey) =>
    RAW_SCHEMES.find((scheme) => isSignatureOf({ key, scheme, signature }, description))
  const { signer, untriedCount } = await findSigner(
    [...keys.publicKeys, ...TEST_KEYS].filter(({ key }) => isRsaSignature(key, signature)),
    {
      keys,
      bytes: RAW_SCHEMES.length * description.length,
      isBy: (key) => findScheme(key) !== undefined,
    },
  )
  const scheme = signer && findScheme(signer)
  if (!scheme) return [{ ...base, scheme: 'RSA', ...tellNoSigner(untriedCount) }]
  const { fingerprint: keyFingerprint } = signer
  return [{ ...base, scheme: scheme.name, outcome: 'Valid', keyFingerprint, detail: null }]
}

/** Without certificates: SWUpdate takes SHA-256 and finds the length of the salt by itself. */
const RAW_SCHEMES: readonly SignatureScheme[] = [
  { name: 'RSA PKCS #1 v1.5', keyType: 'rsa', hash: 'sha256' },
  {
    name: 'RSASSA-PSS',
    keyType: 'rsa',
    hash: 'sha256',
    saltLength: constants.RSA_PSS_SALTLEN_AUTO,
  },
]

/** A signature packet, or its armour (RFC 9580). */
const isOpenPgp = (bytes: Buffer) =>
  bytes.toString('latin1').startsWith('-----BEGIN PGP SIGNATURE') ||
  ([0x88, 0x89, 0xc2].includes(bytes[0] ?? 0) &&
    bytes.length < 2_000 &&
    ![256, 384, 512].includes(bytes.length))

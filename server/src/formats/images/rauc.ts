/**
 * Bundles of RAUC: a squashfs, for verity and crypt the hash tree behind it, a CMS message, and its size as the last 8 bytes
 * (https://rauc.readthedocs.io/en/latest/reference.html#bundle-formats). In a plain bundle the message signs the squashfs; else it
 * holds the manifest, which has the root hash.
 */
import { createHash } from 'node:crypto'
import {
  checkCms,
  countRecipients,
  hashContent,
  listHashes,
  parseCms,
  type SignedContent,
} from './cms.ts'
import { findVerityFault, type VerityStatement } from './dm-verity.ts'
import type { ImageBytes } from './image-bytes.ts'
import {
  describeImage,
  type ImageFacts,
  ImageFault,
  type ImageHash,
  NOTHING_STATED,
} from './image-facts.ts'
import type { KeysAtHand } from './public-keys.ts'

const SIZE_BYTES = 8
const BLOCK_BYTES = 4096
/** RAUC's own default for `max-bundle-signature-size`. */
const MOST_SIGNATURE_BYTES = 64 * 1024

interface Bundle {
  /** Where the message begins and what it signs ends. */
  payloadBytes: number
  signatureBytes: number
}

/** undefined: no bundle. A payload that is encrypted has no mark of its own, so the end tells. */
export async function findBundle(image: ImageBytes): Promise<Bundle | undefined> {
  if (image.size <= SIZE_BYTES + BLOCK_BYTES) return undefined
  const stated = (await image.read(image.size - SIZE_BYTES, SIZE_BYTES)).readBigUInt64BE(0)
  const room = image.size - SIZE_BYTES
  if (stated === 0n || stated >= BigInt(room)) return undefined
  const signatureBytes = Number(stated)
  const payloadBytes = room - signatureBytes
  const start = await image.read(payloadBytes, 2)
  // A message of CMS is a SEQUENCE, which is longer than one byte can say.
  const isMessage = start[0] === 0x30 && (start[1] ?? 0) >= 0x80
  return payloadBytes % BLOCK_BYTES === 0 && isMessage
    ? { payloadBytes, signatureBytes }
    : undefined
}

export async function examineRauc(
  image: ImageBytes,
  { payloadBytes, signatureBytes }: Bundle,
  keys: KeysAtHand,
): Promise<ImageFacts> {
  if (signatureBytes > MOST_SIGNATURE_BYTES)
    throw new ImageFault(
      `The signature has ${signatureBytes} bytes; RAUC takes at most ${MOST_SIGNATURE_BYTES}.`,
    )
  const bytes = await image.read(payloadBytes, signatureBytes)
  const recipientCount = countRecipients(bytes)
  if (recipientCount !== undefined)
    return describeImage('RAUC', { variant: 'crypt', obstacle: explainSealed(recipientCount) })
  const message = parseCms(bytes)
  if (!message.content) {
    const content = await digestPayload(image, payloadBytes, listHashes(message))
    return describeImage('RAUC', {
      variant: 'plain',
      signatures: checkCms(message, content, keys),
      notes: [
        'What the manifest of a plain bundle states stands in its squashfs, which is not read.',
      ],
    })
  }
  const manifest = parseManifest(message.content.toString('utf8'))
  const bundle = manifest.get('bundle')
  const update = manifest.get('update')
  const variant = bundle?.get('format') ?? 'plain'
  return describeImage('RAUC', {
    variant,
    statement: {
      ...NOTHING_STATED,
      version: update?.get('version') ?? null,
      compatible: update?.get('compatible') ?? null,
    },
    signatures: checkCms(message, hashContent(message.content), keys),
    hashes: listManifestHashes(message.content, manifest),
    fault: await findVerityFault(image, payloadBytes, readVerity(variant, bundle)),
    notes:
      variant === 'crypt'
        ? [
            'The payload is encrypted: the signature covers it as it is, and its content cannot be read here.',
          ]
        : [],
  })
}

const explainSealed = (recipientCount: number) =>
  `Manifest and signature are encrypted for ${recipientCount} ${recipientCount === 1 ? 'recipient' : 'recipients'}, and no key of one is here. So nobody can tell here who signed the bundle, what it states, and whether its payload is the one that was signed. Check it before \`rauc encrypt\`, or put a signature beside the file, which covers all of it.`

/** The hash of the manifest, which RAUC reports, and those of images, which the signed manifest states. */
function listManifestHashes(
  content: Buffer,
  manifest: ReadonlyMap<string, ReadonlyMap<string, string>>,
): ImageHash[] {
  const own = { of: 'the manifest', value: createHash('sha256').update(content).digest('hex') }
  const images = [...manifest].flatMap(([group, values]) => {
    const value = group.startsWith('image.') ? values.get('sha256') : undefined
    return value !== undefined && /^[0-9a-f]{64}$/i.test(value)
      ? [{ of: values.get('filename') ?? group, value: value.toLowerCase() }]
      : []
  })
  return [own, ...images]
}

async function digestPayload(
  image: ImageBytes,
  end: number,
  hashes: readonly ('sha256' | 'sha384' | 'sha512')[],
): Promise<SignedContent> {
  const running = hashes.map((name) => ({ name, hash: createHash(name) }))
  for await (const piece of image.stream(0, end)) for (const { hash } of running) hash.update(piece)
  return { digests: new Map(running.map(({ name, hash }) => [name, hash.digest()])) }
}

function readVerity(
  variant: string,
  bundle: ReadonlyMap<string, string> | undefined,
): VerityStatement {
  if (variant !== 'verity' && variant !== 'crypt')
    throw new ImageFault(
      `The manifest states the format ${JSON.stringify(variant)}, which RAUC does not have for a manifest in the signature.`,
    )
  const [root, salt, size] = ['verity-hash', 'verity-salt', 'verity-size'].map((name) =>
    bundle?.get(name),
  )
  const isHash = (text: string | undefined) => text !== undefined && /^[0-9a-f]{64}$/i.test(text)
  if (!isHash(root) || !isHash(salt) || !/^[1-9]\d{0,14}$/.test(size ?? ''))
    throw new ImageFault('The manifest states no root hash, salt and size of a hash tree (verity).')
  return {
    rootHash: Buffer.from(root ?? '', 'hex'),
    salt: Buffer.from(salt ?? '', 'hex'),
    treeBytes: Number(size),
  }
}

/** The key files of GLib, as far as RAUC writes them. */
function parseManifest(text: string): Map<string, Map<string, string>> {
  const groups = new Map<string, Map<string, string>>()
  let group = new Map<string, string>()
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const name = /^\[([^\]]+)\]$/.exec(line)?.[1]
    if (name !== undefined) {
      if (groups.has(name)) throw new ImageFault(`The manifest has the group [${name}] twice.`)
      group = new Map()
      groups.set(name, group)
      continue
    }
    const end = line.indexOf('=')
    if (end < 1 || groups.size === 0)
      throw new ImageFault('The manifest has a line that cannot be read.')
    const key = line.slice(0, end).trim()
    if (group.has(key)) throw new ImageFault(`The manifest states ${key} twice.`)
    group.set(key, line.slice(end + 1).trim())
  }
  return groups
}

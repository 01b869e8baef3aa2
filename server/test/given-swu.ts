/** Update images for SWUpdate, signed as Debian's build requires. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Signer {
  certificate: string
  key: string
}

export function givenSigner(folder: string): Signer {
  const [certificate, key] = [join(folder, 'signer.pem'), join(folder, 'signer-key.pem')]
  const usage = [
    '-addext',
    'keyUsage=digitalSignature',
    '-addext',
    'extendedKeyUsage=emailProtection',
  ]
  const request = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=test',
    '-days',
    '2',
  ]
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate, ...usage], {
    stdio: 'pipe',
  })
  return { certificate, key }
}

export interface Image {
  version: string
  /** The path to which SWUpdate writes the content. */
  target: string
  content: Buffer
}

/** One file, written to its target: sw-description, its signature and the file in a cpio archive. */
export function swuOf(folder: string, signer: Signer, { version, target, content }: Image): Buffer {
  const describe = (sha256: string) => `software = {
  version = "${version}";
  hardware-compatibility: ["1.0"];
  files: ({
    filename = "content"; path = "${target}";
    sha256 = "${sha256}";
    properties = { create-destination = "true"; }
  });
}
`
  return packSwu(folder, signer, { describe, content })
}

/**
 * More than a socket holds. SWUpdate passes an image through one to its installer, and asks how that does once all is sent: of a
 * small image it may ask before the installer woke, takes that for the end, and exits with 1 or a signal in the middle of its work.
 */
const PADDING = Buffer.alloc(1024 * 1024)

interface Packed {
  /** The text of sw-description, by the digest of the content. */
  describe: (sha256: string) => string
  content: Buffer
}

export function packSwu(folder: string, signer: Signer, { describe, content }: Packed): Buffer {
  const description = describe(createHash('sha256').update(content).digest('hex'))
  const [plain, signature] = [join(folder, 'sw-description'), join(folder, 'sw-description.sig')]
  writeFileSync(plain, description)
  const { certificate, key } = signer
  const sign = [
    'cms',
    '-sign',
    '-in',
    plain,
    '-out',
    signature,
    '-signer',
    certificate,
    '-inkey',
    key,
  ]
  const form = ['-outform', 'DER', '-nosmimecap', '-binary', '-noattr']
  execFileSync('openssl', [...sign, ...form], { stdio: 'pipe' })
  const archive = Buffer.concat([
    entryOf('sw-description', Buffer.from(description)),
    entryOf('sw-description.sig', readFileSync(signature)),
    entryOf('content', content),
    entryOf('padding', PADDING),
    entryOf('TRAILER!!!', Buffer.alloc(0)),
  ])
  return padded(archive, 512)
}

/** A member of cpio, in its "new ASCII format with checksum". */
export function entryOf(name: string, content: Buffer): Buffer {
  const checksum = content.reduce((sum, byte) => (sum + byte) >>> 0, 0)
  return Buffer.concat([entryHeader(name, content.length, checksum), padded(content, 4)])
}

export function entryHeader(name: string, size: number, checksum: number): Buffer {
  const numbers = [1, 0o100_644, 0, 0, 1, 0, size, 0, 0, 0, 0, name.length + 1, checksum]
  const header = numbers.map((number) => number.toString(16).padStart(8, '0')).join('')
  return padded(Buffer.from(`070702${header}${name}\0`), 4)
}

function padded(bytes: Buffer, multiple: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((multiple - (bytes.length % multiple)) % multiple)])
}

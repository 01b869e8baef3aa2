/** Keys and certificates of files and folders, with which signatures are checked on this machine. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SignatureFault } from '../../server/src/formats/images/detached-signature.ts'
import { readCertificateFacts } from '../../server/src/formats/images/certificate-chain.ts'
import type { TrustedKey } from '../../server/src/formats/images/judge-image.ts'
import {
  KeyFault,
  type KeysAtHand,
  type ReadKey,
  readKey,
  readKeptKey,
} from '../../server/src/formats/images/public-keys.ts'
import { usageError } from './failure.ts'
import { explainFileFault } from './file-faults.ts'
import { note } from './print.ts'
import type { Session } from './session.ts'
import { readSignatureFile } from './signature-file.ts'

interface GivenKey {
  id: string
  name: string
  read: ReadKey
}

/** What formats check with, and what they trust: the same keys. */
export function describeKeys(keys: readonly GivenKey[]): {
  atHand: KeysAtHand
  trusted: TrustedKey[]
} {
  return {
    atHand: {
      publicKeys: keys.map(({ read }) =>
        read.kind === 'PublicKey' && read.minisignKeyId !== null
          ? { ...read.publicKey, minisignKeyId: read.minisignKeyId }
          : read.publicKey,
      ),
      certificates: keys.flatMap(({ read }) =>
        read.kind === 'Certificate' ? [read.certificate.raw] : [],
      ),
    },
    trusted: keys.map(({ id, name, read }) => ({
      id,
      name,
      fingerprint: read.publicKey.fingerprint,
      certificate: read.kind === 'Certificate' ? readFacts(name, read) : undefined,
    })),
  }
}

function readFacts(name: string, { certificate }: Extract<ReadKey, { kind: 'Certificate' }>) {
  try {
    return readCertificateFacts(certificate.raw)
  } catch {
    throw usageError(`${name}: the certificate cannot be read.`)
  }
}

/** A certificate with a long chain has some 20 KiB; an image beside the keys is not read. */
const MOST_KEY_BYTES = 256 * 1024

/** Each path is a file with one key or several in PEM, or a folder of such files. */
export async function readKeyFiles(paths: readonly string[]): Promise<GivenKey[]> {
  const read = (await Promise.all(paths.map(readKeyPath))).flat()
  return read.map((key, index) => ({ id: String(index), ...key }))
}

type NamedKey = Omit<GivenKey, 'id'>

async function readKeyPath(path: string): Promise<NamedKey[]> {
  const found = await stat(path).catch(refuse(path))
  return found.isDirectory() ? readFolder(path) : readFileOfKeys(path, found.size)
}

const refuse = (path: string) => (error: unknown) => {
  throw usageError(`Cannot read ${path}: ${explainFileFault(error)}.`)
}

/** What is no key there may be a note about the keys; it is named, as a key that was meant would be missing. */
async function readFolder(folder: string): Promise<NamedKey[]> {
  const names = (await readdir(folder).catch(refuse(folder))).toSorted()
  const keys: NamedKey[] = []
  for (const name of names) {
    const path = join(folder, name)
    const { size, ...found } = await stat(path).then(
      (one) => ({ isFile: one.isFile(), size: one.size }),
      () => ({ isFile: false, size: 0 }),
    )
    if (name.startsWith('.') || !found.isFile) continue
    try {
      for (const key of await readFileOfKeys(path, size)) keys.push(key)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      note(`Not used: ${error.message}`)
    }
  }
  if (keys.length === 0)
    throw usageError(`${folder} holds no public key and no certificate that can be read.`)
  return keys
}

const PEM = /-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g

async function readFileOfKeys(path: string, sizeBytes: number): Promise<NamedKey[]> {
  if (sizeBytes > MOST_KEY_BYTES)
    throw usageError(`${path} is no file of keys: it has ${sizeBytes} bytes.`)
  const text = await readFile(path, 'utf8').catch(refuse(path))
  const blocks = text.match(PEM) ?? []
  const parts = blocks.length > 1 ? blocks : [text]
  try {
    return parts.map((part, index) => ({
      name: parts.length > 1 ? `${path}, ${index + 1} of ${parts.length}` : path,
      read: readKey(part),
    }))
  } catch (error) {
    if (error instanceof KeyFault) throw usageError(`${path}: ${error.message}`)
    throw error
  }
}

/** Those that the workspace trusts now. */
export async function readWorkspaceKeys({ client, workspaceId }: Session): Promise<GivenKey[]> {
  const path = '/workspaces/{workspaceId}/trusted-keys'
  const { trustedKeys } = await client.get(path, { params: { workspaceId } })
  return trustedKeys.map(({ id, name, pem, minisignKeyId }) => {
    const read = readKeptKey(pem)
    return { id, name, read: read.kind === 'PublicKey' ? { ...read, minisignKeyId } : read }
  })
}

/** A signature that stands beside a file. `parse` throws `SignatureFault` for what is none. */
export async function readGivenSignature<Parsed>(
  path: string,
  parse: (text: string) => Parsed,
): Promise<Parsed> {
  const { signature } = await readSignatureFile(path).catch(refuse(path))
  try {
    return parse(signature)
  } catch (error) {
    if (error instanceof SignatureFault) throw usageError(`${path}: ${error.message}`)
    throw error
  }
}

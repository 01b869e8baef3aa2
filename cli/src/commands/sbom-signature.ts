/** Whether an SBOM is signed by one of these keys, without a service. */
import { readFile } from 'node:fs/promises'
import { SignatureFault } from '../../../server/src/formats/images/detached-signature.ts'
import { KeyFault, type ReadKey, readKey } from '../../../server/src/formats/images/public-keys.ts'
import { readCertificateFacts } from '../../../server/src/formats/images/certificate-chain.ts'
import {
  examineSbom,
  readSignatureBeside,
} from '../../../server/src/formats/sbom-signatures/examine-sbom.ts'
import { judgeSbom } from '../../../server/src/formats/sbom-signatures/judge-sbom.ts'
import { EXIT } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { findUploadFile } from '../multipart.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { getTerminal } from '../terminal.ts'

export interface SignatureOptions {
  json?: boolean
  quiet?: boolean
  keys: readonly string[]
  signature: readonly string[]
}

export async function checkSignature(
  path: string,
  { json, quiet = false, keys: keyFiles, signature }: SignatureOptions,
): Promise<void> {
  getTerminal().isQuiet = quiet
  const { name: fileName } = await findUploadFile(path)
  const keys = (await Promise.all(keyFiles.map(readKeys))).flat()
  const beside = await Promise.all(signature.map(readBeside))
  const facts = await examineSbom(await readFile(path), {
    keys: {
      publicKeys: keys.map(({ key }) => describePublicKey(key)),
      certificates: keys.flatMap(({ key }) =>
        key.kind === 'Certificate' ? [key.certificate.raw] : [],
      ),
    },
    beside,
  })
  const trusted = keys.map(({ name, key }, index) => ({
    id: String(index),
    name,
    fingerprint: key.publicKey.fingerprint,
    certificate: key.kind === 'Certificate' ? readCertificateFacts(key.certificate.raw) : undefined,
  }))
  const { state, reason, signatures } = judgeSbom(facts, trusted, new Date())
  const shown = signatures.map(({ trustedKey, ...one }) => ({
    ...one,
    trustedKey: trustedKey?.name ?? null,
  }))
  if (json === true) printJson({ fileName, state, reason, signatures: shown })
  else printLine(sanitise(`${fileName}: ${state}. ${reason}`))
  if (state !== 'Verified') getTerminal().exitCode = EXIT.imageNotVerified
}

const describePublicKey = (key: ReadKey) =>
  key.kind === 'PublicKey' && key.minisignKeyId !== null
    ? { ...key.publicKey, minisignKeyId: key.minisignKeyId }
    : key.publicKey

const PEM = /-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g

/** A file holds one key or certificate, or several in PEM. */
async function readKeys(path: string): Promise<{ name: string; key: ReadKey }[]> {
  const text = await readFile(path, 'utf8')
  const blocks = text.match(PEM) ?? []
  const parts = blocks.length > 1 ? blocks : [text]
  try {
    return parts.map((part, index) => ({
      name: parts.length > 1 ? `${path}, ${index + 1} of ${parts.length}` : path,
      key: readKey(part),
    }))
  } catch (error) {
    if (error instanceof KeyFault) throw usageError(`${path}: ${error.message}`)
    throw error
  }
}

/** In Base64, hexadecimal, of minisign or as a DSSE envelope; raw bytes, as openssl writes them, become Base64. */
async function readBeside(path: string): Promise<string> {
  const bytes = await readFile(path)
  const text = bytes.toString('utf8')
  const given = Buffer.from(text).equals(bytes) ? text : bytes.toString('base64')
  try {
    readSignatureBeside(given)
    return given
  } catch (error) {
    if (error instanceof SignatureFault) throw usageError(`${path}: ${error.message}`)
    throw error
  }
}

/** How an SBOM is signed: inside the document, or by a signature that stands beside it. */
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { DuplicateMember, findDuplicate, parseUniqueJson } from '../duplicate-members.ts'
import { checkDsse, DsseFault, isDsseEnvelope, readDsseEnvelope } from '../dsse.ts'
import {
  checkDetached,
  parseDetachedSignature,
  SignatureFault,
} from '../images/detached-signature.ts'
import { createImageBytes } from '../images/image-bytes.ts'
import type { SignatureFact } from '../images/image-facts.ts'
import { limitTries, type LimitedKeys } from '../images/key-tries.ts'
import type { KeysAtHand } from '../images/public-keys.ts'
import { isObject, listObjects } from '../sboms/json-values.ts'
import { CanonicalFault, canonicalizeJson } from './canonical-json.ts'
import { checkJsf, JsfFault } from './jsf.ts'

/** Raised with each change that may find something else in the same bytes. */
export const SBOM_EXAMINER_VERSION = 2

export interface SbomSignatureFacts {
  signatures: readonly SignatureFact[]
  /** Why the document is not what was signed. */
  fault: string | null
  /** Why nothing can be told of a signature that is there. */
  obstacle: string | null
}

/** Throws `SignatureFault` for a text that is none of those that can stand beside a document. */
export function readSignatureBeside(text: string): BesideDocument {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{')) return { kind: 'Detached', ...namesOf(trimmed) }
  const envelope = readJson(Buffer.from(trimmed))
  if (!envelope.isRead || !isDsseEnvelope(envelope.value))
    throw new SignatureFault('This JSON is no DSSE envelope, and no other signature is in JSON.')
  try {
    readDsseEnvelope(envelope.value)
  } catch (error) {
    throw error instanceof DsseFault ? new SignatureFault(error.message) : error
  }
  return { kind: 'DSSE', keyId: null, content: trimmed }
}

export interface BesideDocument {
  kind: 'Detached' | 'DSSE'
  /** Of minisign. */
  keyId: string | null
  content: string
}

function namesOf(content: string): { keyId: string | null; content: string } {
  const read = parseDetachedSignature(content)
  return { keyId: read.kind === 'minisign' ? read.keyId : null, content }
}

/** `file`: as it was uploaded; `beside`: texts that `readSignatureBeside` takes. */
export async function examineSbom(
  file: Uint8Array,
  given: { keys: KeysAtHand; beside: readonly string[] },
): Promise<SbomSignatureFacts> {
  const keys = limitTries(given.keys, 'documents')
  const inside = await examineInside(file, keys)
  const around = given.beside.map(readSignatureBeside)
  const detached = around
    .filter(({ kind }) => kind === 'Detached')
    .map(({ content }) => parseDetachedSignature(content))
  let outside = await checkDetached(createImageBytes(file), detached, keys)
  for (const { kind, content } of around)
    if (kind === 'DSSE') outside = outside.concat(await checkEnvelope(file, content, keys))
  return { ...inside, signatures: [...inside.signatures, ...outside] }
}

const NOTHING: SbomSignatureFacts = { signatures: [], fault: null, obstacle: null }

async function examineInside(file: Uint8Array, keys: LimitedKeys): Promise<SbomSignatureFacts> {
  const document = unpackDocument(file)
  if (document === undefined) return { ...NOTHING, obstacle: PACKED }
  if (isXml(document))
    return document.includes(XML_SIGNATURE) ? { ...NOTHING, obstacle: IN_XML } : NOTHING
  const read = readJson(document)
  if (!read.isRead) return read.isDuplicate ? { ...NOTHING, fault: read.fault } : NOTHING
  const { value } = read
  if (!isObject(value) || value['bomFormat'] !== 'CycloneDX' || value['signature'] === undefined)
    return NOTHING
  try {
    return { ...NOTHING, signatures: await checkJsf(value, keys) }
  } catch (error) {
    if (error instanceof JsfFault || error instanceof CanonicalFault)
      return { ...NOTHING, fault: error.message }
    throw error
  }
}

const PACKED =
  'The file is an archive, or packed in a way that is not opened here, so that signatures inside it are not read. Upload the document itself, or a signature beside it.'

const IN_XML =
  'The document has a signature in XML (XML-DSig), which is not checked here. Sign CycloneDX in JSON, or upload a signature beside it.'

const XML_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'

const MOST_BYTES = 256 * 1024 * 1024

/** undefined: it is more than one document in gzip. */
function unpackDocument(file: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== GZIP_MAGIC)
    return isArchive(bytes) ? undefined : bytes
  try {
    const inner = gunzipSync(bytes, { maxOutputLength: MOST_BYTES })
    return isArchive(inner) ? undefined : inner
  } catch {
    return undefined
  }
}

const GZIP_MAGIC = 0x1f8b
const ZSTD_MAGIC = 0x28b52ffd
const TAR_MAGIC_AT = 257

const isArchive = (bytes: Buffer) =>
  (bytes.length > 4 && bytes.readUInt32BE(0) === ZSTD_MAGIC) ||
  bytes.toString('latin1', TAR_MAGIC_AT, TAR_MAGIC_AT + 5) === 'ustar'

const isXml = (bytes: Buffer) => /^(?:\uFEFF)?\s*</u.test(bytes.toString('utf8', 0, 1024))

type ReadJson =
  | { isRead: true; value: unknown }
  | { isRead: false; isDuplicate: boolean; fault: string }

/** Two readers of a member that is there twice see two documents, of which one was signed. */
function readJson(bytes: Buffer): ReadJson {
  try {
    return { isRead: true, value: parseUniqueJson(bytes) }
  } catch (error) {
    const isDuplicate = error instanceof DuplicateMember && hasSignature(bytes)
    const at = isDuplicate ? (findDuplicate(bytes.toString('utf8')) ?? '') : ''
    const fault = `The member ${at} is in the document twice, so that readers see different documents. Nothing is told of its signature.`
    return { isRead: false, isDuplicate, fault }
  }
}

/** Whether one of the documents that readers may see has a signature. */
const hasSignature = (bytes: Buffer) => bytes.includes('"signature"')

/** An in-toto statement about the document: by its hash, or with the document as its predicate, as `cosign attest` makes it. */
async function checkEnvelope(
  file: Uint8Array,
  content: string,
  keys: LimitedKeys,
): Promise<SignatureFact[]> {
  const read = readJson(Buffer.from(content))
  const envelope = readDsseEnvelope(read.isRead ? read.value : undefined)
  const signatures = await checkDsse(envelope, keys)
  const statement = readJson(envelope.payload)
  const isMeant = statement.isRead && isAbout(statement.value, file)
  if (isMeant) return signatures
  return signatures.map((one) => ({ ...one, outcome: 'Invalid', detail: OTHER_DOCUMENT }))
}

const OTHER_DOCUMENT =
  'The DSSE envelope beside the document speaks of another one: neither a subject has its SHA-256, nor is it the predicate.'

function isAbout(statement: unknown, file: Uint8Array): boolean {
  if (!isObject(statement)) return false
  const sha256 = createHash('sha256').update(file).digest('hex')
  const isSubject = listObjects(statement['subject']).some(
    ({ digest }) => isObject(digest) && digest['sha256'] === sha256,
  )
  return isSubject || isPredicate(statement['predicate'], file)
}

function isPredicate(predicate: unknown, file: Uint8Array): boolean {
  const document = unpackDocument(file)
  if (!isObject(predicate) || document === undefined) return false
  const read = readJson(document)
  if (!read.isRead) return false
  try {
    return canonicalizeJson(read.value) === canonicalizeJson(predicate)
  } catch (error) {
    if (error instanceof CanonicalFault) return false
    throw error
  }
}

/**
 * Signatures inside a JSON object: the JSON Signature Format, as CycloneDX has it (https://cyberphone.github.io/doc/security/jsf.html).
 * Signed is the canonical text of the object without the `value` of the signature, `excludes`, and what `excludes` names.
 */
import { constants, createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto'
import type { SignatureFact } from '../images/image-facts.ts'
import { findSigner, listKnownKeys, type LimitedKeys, tellNoSigner } from '../images/key-tries.ts'
import { describeKey, type PublicKey } from '../images/public-keys.ts'
import { isObject, type JsonObject } from '../sboms/json-values.ts'
import { canonicalizeJson, joinMembers } from './canonical-json.ts'

/** The signature cannot be read; the message is for people. */
export class JsfFault extends Error {}

const MOST_SIGNATURES = 10

/** Of `document.signature`: one signature, several (`signers`), or a chain, in which each covers those before it. */
export async function checkJsf(document: JsonObject, keys: LimitedKeys): Promise<SignatureFact[]> {
  const { signature: outer, ...others } = document
  if (!isObject(outer)) throw new JsfFault('The signature of the document is not an object.')
  const list = readList(outer)
  const excluded = readNames(outer, 'excludes')
  const { excludes: _excludes, ...kept } = outer
  const signed = Object.entries(others)
    .filter(([name]) => !excluded.includes(name))
    .map(([name, value]) => [name, canonicalizeJson(value)] as const)
  const encode = (signature: JsonObject) =>
    Buffer.from(joinMembers([...signed, ['signature', canonicalizeJson(signature)]]))
  if (list === undefined) return [await checkOne(kept, { keys, excluded, encode, outer })]
  const { name, entries } = list
  const facts: SignatureFact[] = []
  // One after the other, as they share the room for tries.
  for (const [index, entry] of entries.entries()) {
    const before = name === 'chain' ? entries.slice(0, index) : []
    const encodeList = (unsigned: JsonObject) => encode({ ...kept, [name]: [...before, unsigned] })
    facts.push(await checkOne(entry, { keys, excluded, outer, encode: encodeList }))
  }
  return facts
}

function readList(
  outer: JsonObject,
): { name: 'signers' | 'chain'; entries: JsonObject[] } | undefined {
  const name = (['signers', 'chain'] as const).find((one) => one in outer)
  if (name === undefined) return undefined
  const entries = outer[name]
  if (!Array.isArray(entries) || entries.length === 0 || !entries.every(isObject))
    throw new JsfFault(`The ${name} of the document's signature are no list of signatures.`)
  if (entries.length > MOST_SIGNATURES)
    throw new JsfFault(
      `The document has ${entries.length} signatures; at most ${MOST_SIGNATURES} are read.`,
    )
  const more = Object.keys(outer).filter((one) => ![name, 'excludes', 'extensions'].includes(one))
  if (more.length > 0)
    throw new JsfFault(`The document's signature has ${name} and, beside them, ${more.join(', ')}.`)
  return { name, entries }
}

function readNames(outer: JsonObject, member: 'excludes' | 'extensions'): string[] {
  const names = outer[member]
  if (names === undefined) return []
  const isList = Array.isArray(names) && names.every((one) => typeof one === 'string')
  if (!isList) throw new JsfFault(`The ${member} of the document's signature is no list of names.`)
  return names
}

interface Around {
  keys: LimitedKeys
  excluded: readonly string[]
  outer: JsonObject
  /** What is signed, given the signature without its value. */
  encode: (unsigned: JsonObject) => Buffer
}

const KNOWN = new Set([
  'algorithm',
  'keyId',
  'publicKey',
  'certificatePath',
  'excludes',
  'extensions',
  'value',
])

async function checkOne(
  entry: JsonObject,
  { keys, excluded, outer, encode }: Around,
): Promise<SignatureFact> {
  const { algorithm, keyId, value, ...unsigned } = entry
  const scheme = typeof algorithm === 'string' ? algorithm : 'unknown'
  const certificates = readCertificates(entry['certificatePath'])
  const base = {
    scheme: `JSF ${scheme}`.slice(0, 100),
    keyId: typeof keyId === 'string' ? keyId.slice(0, 500) : null,
    certificates: certificates.map((der) => der.toString('base64')),
    keyFingerprint: null,
  }
  const way = Object.hasOwn(ALGORITHMS, scheme) ? ALGORITHMS[scheme] : undefined
  const unknown = Object.keys(entry).filter((name) => !KNOWN.has(name))
  const extensions = [...readNames(outer, 'extensions'), ...unknown]
  if (!way || extensions.length > 0)
    return { ...base, outcome: 'NotSupported', detail: explainUnknown(scheme, extensions) }
  const signature = decodeBase64Url(value)
  if (!signature)
    return { ...base, outcome: 'Invalid', detail: 'The value of the signature is not base64url.' }
  const message = encode({
    algorithm,
    ...(keyId !== undefined && { keyId }),
    ...unsigned,
  })
  const found = await findMaker(entry, { certificates, way, signature, message, keys })
  if (found.isWrong)
    return { ...base, keyFingerprint: found.fingerprint, outcome: 'Invalid', detail: WRONG }
  if (!found.signer) {
    const none = tellNoSigner(found.untriedCount)
    return { ...base, certificates: [], ...none, detail: none.detail ?? NO_KEY }
  }
  const valid = { ...base, keyFingerprint: found.signer.fingerprint }
  return excluded.length === 0
    ? { ...valid, outcome: 'Valid', detail: null }
    : { ...valid, outcome: 'NotSupported', detail: explainExcluded(excluded) }
}

interface SignedMessage {
  certificates: readonly Buffer[]
  way: Algorithm
  signature: Buffer
  message: Buffer
  keys: LimitedKeys
}

type FoundMaker =
  | { isWrong: true; fingerprint: string }
  | { isWrong: false; signer: PublicKey | undefined; untriedCount: number }

/** `isWrong`: the key that the signature itself brings did not make it. */
async function findMaker(
  entry: JsonObject,
  { certificates, way, signature, message, keys }: SignedMessage,
): Promise<FoundMaker> {
  const stated = readStatedKey(entry, certificates)
  const candidates = (stated ? [stated] : listKnownKeys(keys)).filter((one) => isOfKind(one, way))
  const isBy = ({ key }: PublicKey) => isSignedBy(key, way, { signature, message })
  const found = await findSigner(candidates, { keys, bytes: message.length, isBy })
  return stated && !found.signer && found.untriedCount === 0
    ? { isWrong: true, fingerprint: stated.fingerprint }
    : { isWrong: false, ...found }
}

const WRONG =
  'The signature of the document is not that of its content by the key that it names: something was changed after it was signed, or another key has signed it.'

/** What names the key is a text of the signer's own, so that it tells nothing. */
const NO_KEY =
  'None of the trusted keys has made the signature of the document: another key has, or the document was changed.'

const explainUnknown = (scheme: string, extensions: readonly string[]) =>
  extensions.length > 0
    ? `The signature uses ${extensions.join(', ').slice(0, 200)}, which is not known here, so that it is not checked.`
    : `The algorithm ${scheme.slice(0, 100)} of the signature is not known here. Sign with RS256 to RS512, PS256 to PS512, ES256 to ES512, or Ed25519.`

/** Whoever changes what is left out changes an SBOM that would still look signed. */
const explainExcluded = (excluded: readonly string[]) =>
  `The signature leaves out ${excluded.join(', ').slice(0, 200)}, which anybody may have changed. Sign the whole document.`

/** Of RFC 7518, with joined r and s for ECDSA, and of RFC 8037. */
interface Algorithm {
  keyType: 'rsa' | 'ec' | 'ed25519'
  hash: string | null
  curve?: string
  isPss?: boolean
}

const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  RS256: { keyType: 'rsa', hash: 'sha256' },
  RS384: { keyType: 'rsa', hash: 'sha384' },
  RS512: { keyType: 'rsa', hash: 'sha512' },
  PS256: { keyType: 'rsa', hash: 'sha256', isPss: true },
  PS384: { keyType: 'rsa', hash: 'sha384', isPss: true },
  PS512: { keyType: 'rsa', hash: 'sha512', isPss: true },
  ES256: { keyType: 'ec', hash: 'sha256', curve: 'prime256v1' },
  ES384: { keyType: 'ec', hash: 'sha384', curve: 'secp384r1' },
  ES512: { keyType: 'ec', hash: 'sha512', curve: 'secp521r1' },
  Ed25519: { keyType: 'ed25519', hash: null },
}

const isOfKind = ({ key }: PublicKey, { keyType, curve }: Algorithm) =>
  key.asymmetricKeyType === keyType && key.asymmetricKeyDetails?.namedCurve === curve

function isSignedBy(
  key: KeyObject,
  { keyType, hash, isPss = false }: Algorithm,
  { signature, message }: { signature: Buffer; message: Buffer },
): boolean {
  try {
    return verify(hash, message, { key, ...chooseOptions(keyType, isPss) }, signature)
  } catch {
    return false
  }
}

function chooseOptions(keyType: Algorithm['keyType'], isPss: boolean) {
  if (keyType === 'ec') return { dsaEncoding: 'ieee-p1363' as const }
  if (keyType === 'ed25519') return {}
  return isPss
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { padding: constants.RSA_PKCS1_PADDING }
}

/** The key that the signature itself brings: its trust is that of its fingerprint. */
function readStatedKey(
  { publicKey: jwk }: JsonObject,
  [certificate]: readonly Buffer[],
): PublicKey | undefined {
  try {
    if (certificate) return describeKey(new X509Certificate(certificate).publicKey)
    if (jwk === undefined) return undefined
    if (!isObject(jwk)) throw new JsfFault('The public key in the signature is not an object.')
    return describeKey(createPublicKey({ key: jwk, format: 'jwk' }))
  } catch (error) {
    if (error instanceof JsfFault) throw error
    throw new JsfFault('The public key or certificate in the signature cannot be read.')
  }
}

const MOST_CERTIFICATES = 10

function readCertificates(path: unknown): Buffer[] {
  if (path === undefined) return []
  const all = Array.isArray(path) ? path.map(decodeBase64Url) : []
  const read = all.filter((one) => one !== undefined)
  if (read.length === 0 || read.length !== all.length || read.length > MOST_CERTIFICATES)
    throw new JsfFault(
      `The certificatePath of the signature is no list of 1 to ${MOST_CERTIFICATES} certificates in base64url.`,
    )
  return read
}

/** In its one canonical form, without padding (RFC 7515, section 2). */
function decodeBase64Url(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || text === '') return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

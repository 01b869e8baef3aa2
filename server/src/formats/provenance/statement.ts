/** in-toto statements: which files, by their hashes, something is said about. https://github.com/in-toto/attestation/tree/v1.1.0/spec */
import { hashJsonContent } from '../content-digest.ts'
import { DsseFault, type DsseEnvelope, isDsseEnvelope, readDsseEnvelope } from '../dsse.ts'
import { readStrongHash } from '../sboms/described-hashes.ts'
import { isObject, type JsonObject, listObjects, readText } from '../sboms/json-values.ts'
import { parseJson } from '../sboms/parse-json.ts'
import { SbomError } from '../sboms/sbom-error.ts'

/** What was uploaded is no statement that can be read; the message is for people. */
export class StatementFault extends Error {}

/** A file that a statement names. */
interface NamedFile {
  name: string
  /** SHA-256, SHA-384 or SHA-512, in lower case. */
  hashes: string[]
}

export const STATEMENT_KINDS = ['Build', 'Sbom', 'Other'] as const
type StatementKind = (typeof STATEMENT_KINDS)[number]

interface BuildFacts {
  builderId: string | null
  buildType: string | null
  /** The first ones, by their addresses. */
  materials: string[]
  materialCount: number
}

export interface StatementFacts {
  kind: StatementKind
  predicateType: string
  subjects: NamedFile[]
  /** Of SLSA; null: it says nothing of a build. */
  build: BuildFacts | null
  /** Other files with hashes: what the build used or left beside. */
  others: NamedFile[]
  /** Of an SBOM inside the statement: what its JSON is known by, or the SHA-256 of its text. */
  sbomDigest: string | null
}

export interface UploadedStatement {
  facts: StatementFacts
  envelope: DsseEnvelope | null
  /** In DER, that of the signer first, where they came along. */
  certificates: Buffer[]
}

const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
const TYPES: ReadonlySet<unknown> = new Set([
  'https://in-toto.io/Statement/v0.1',
  'https://in-toto.io/Statement/v1',
])
const MOST_SUBJECTS = 1_000
const MOST_OTHERS = 1_000
const SHOWN_MATERIALS = 20
const LIMITS = { depth: 500, values: 1_000_000 }

/** The bytes of a statement, of its DSSE envelope, or of a bundle of Sigstore. Throws `StatementFault`. */
export function parseUploadedStatement(bytes: Uint8Array): UploadedStatement {
  const value = parse(bytes)
  const bundle = readBundle(value)
  if (!bundle) return { facts: readStatement(value), envelope: null, certificates: [] }
  const envelope = asStatementFault(() => readDsseEnvelope(bundle.envelope))
  if (envelope.payloadType !== PAYLOAD_TYPE)
    throw new StatementFault(
      `The payload of the DSSE envelope has the type ${JSON.stringify(envelope.payloadType)}; ${PAYLOAD_TYPE} is read.`,
    )
  const { certificates } = bundle
  return { facts: readStatement(parse(envelope.payload)), envelope, certificates }
}

function parse(bytes: Uint8Array): unknown {
  try {
    const { value, duplicate } = parseJson(bytes, { ...LIMITS, valuesLimit: LIMITS.values })
    if (duplicate !== undefined)
      throw new StatementFault(
        `${duplicate} is there twice, so readers may understand it differently.`,
      )
    return value
  } catch (error) {
    if (error instanceof SbomError) throw new StatementFault(error.message)
    throw error
  }
}

function asStatementFault<Answer>(read: () => Answer): Answer {
  try {
    return read()
  } catch (error) {
    if (error instanceof DsseFault) throw new StatementFault(error.message)
    throw error
  }
}

/** undefined: it is in no envelope. */
function readBundle(value: unknown): { envelope: unknown; certificates: Buffer[] } | undefined {
  if (isDsseEnvelope(value)) return { envelope: value, certificates: [] }
  if (!isObject(value)) return undefined
  const { dsseEnvelope, verificationMaterial, base64Signature, cert } = value
  // Sigstore's bundle from version 0.1 on.
  if (dsseEnvelope !== undefined)
    return { envelope: dsseEnvelope, certificates: listCertificates(verificationMaterial) }
  // What `cosign attest-blob --bundle` wrote before: the envelope in place of the signature.
  if (typeof base64Signature === 'string')
    return {
      envelope: parse(Buffer.from(base64Signature, 'base64')),
      certificates: typeof cert === 'string' ? [readPem(Buffer.from(cert, 'base64'))] : [],
    }
  if (value['messageSignature'] !== undefined)
    throw new StatementFault(
      'The bundle signs a file and holds no statement. Upload it as a signature beside the artifact.',
    )
  return undefined
}

function listCertificates(material: unknown): Buffer[] {
  if (!isObject(material)) return []
  const { certificate, x509CertificateChain: chain } = material
  const all = [certificate, ...listObjects(isObject(chain) ? chain['certificates'] : undefined)]
  return all.filter(isObject).map(({ rawBytes }) => Buffer.from(String(rawBytes), 'base64'))
}

function readPem(text: Buffer): Buffer {
  const [, body = ''] = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(text.toString()) ?? []
  return Buffer.from(body, 'base64')
}

function readStatement(value: unknown): StatementFacts {
  if (!isObject(value) || !TYPES.has(value['_type']))
    throw new StatementFault(
      'This is no in-toto statement (v0.1 or v1), no DSSE envelope and no bundle of Sigstore that holds one.',
    )
  const predicateType = readText(value['predicateType'])
  if (predicateType === undefined) throw new StatementFault('The statement has no predicateType.')
  const subjects = readSubjects(value['subject'])
  const { predicate } = value
  const { kind, build, others } = readSlsa(predicateType, readObject(predicate))
  const isSbom = OF_SBOMS.test(predicateType)
  return {
    kind: isSbom ? 'Sbom' : kind,
    predicateType,
    subjects,
    build,
    others,
    sbomDigest: isSbom && predicate !== undefined ? hashJsonContent(predicate) : null,
  }
}

/** https://cyclonedx.org/bom, …/bom/v1.6, https://spdx.dev/Document, …/Document/v2.3, as cosign writes them. */
const OF_SBOMS = /^https:\/\/(?:cyclonedx\.org\/(?:bom|schema)|spdx\.dev\/Document)(?:\/|$)/

function readSubjects(list: unknown): NamedFile[] {
  if (!Array.isArray(list) || list.length === 0)
    throw new StatementFault(
      'The statement has no subject: it says of no file that it is about it.',
    )
  if (list.length > MOST_SUBJECTS)
    throw new StatementFault(
      `The statement has ${list.length} subjects; at most ${MOST_SUBJECTS} are read.`,
    )
  const subjects = list.map((one: unknown, at) => readSubject(one, at))
  if (subjects.every(({ hashes }) => hashes.length === 0))
    throw new StatementFault(
      'No subject of the statement has a digest of SHA-256, SHA-384 or SHA-512.',
    )
  return subjects
}

function readSubject(value: unknown, at: number): NamedFile {
  if (!isObject(value) || !isObject(value['digest']))
    throw new StatementFault(`Subject ${at + 1} of the statement has no digest.`)
  const file = readFile(value)
  for (const [name, digest] of Object.entries(value['digest']))
    if (STRONG.test(name) && !readStrongHash({ algorithm: name, value: String(digest) }))
      throw new StatementFault(
        `The ${name} of subject ${at + 1} is not of its length in hexadecimal, or has other characters.`,
      )
  return file
}

const STRONG = /^sha-?(?:256|384|512)$/i

function readFile({ name, uri, digest }: JsonObject): NamedFile {
  const hashes = Object.entries(isObject(digest) ? digest : {}).flatMap(([algorithm, value]) => {
    const strong = readStrongHash({ algorithm, value: String(value) })
    return strong ? [strong.value] : []
  })
  return { name: readText(name) ?? readText(uri) ?? '', hashes }
}

/** https://slsa.dev/spec/v1.1/provenance, and v0.1 and v0.2 before it. */
function readSlsa(
  type: string,
  predicate: JsonObject,
): Pick<StatementFacts, 'kind' | 'build' | 'others'> {
  const version = /^https:\/\/slsa\.dev\/provenance\/v(0\.1|0\.2|1(?:\.\d+)?)$/.exec(type)?.[1]
  if (version === undefined) return { kind: 'Other', build: null, others: [] }
  const isFirst = version.startsWith('0.')
  const { recipe } = predicate
  const definition = isFirst ? predicate : readObject(predicate['buildDefinition'])
  const run = isFirst ? predicate : readObject(predicate['runDetails'])
  const materials = listObjects(definition[isFirst ? 'materials' : 'resolvedDependencies'])
  return {
    kind: 'Build',
    build: {
      builderId: readText(readObject(run['builder'])['id']) ?? null,
      buildType: readText(definition['buildType'] ?? readObject(recipe)['type']) ?? null,
      materials: materials
        .flatMap(({ uri, name }) => readText(uri) ?? readText(name) ?? [])
        .slice(0, SHOWN_MATERIALS),
      materialCount: materials.length,
    },
    others: [...materials, ...listObjects(run['byproducts'])]
      .slice(0, MOST_OTHERS)
      .map((one) => readFile(one))
      .filter(({ hashes }) => hashes.length > 0),
  }
}

const readObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** Digests of artifacts: the Repr-Digest and Content-Digest headers (RFC 9530), and the digests that device clients check. */
import { createHash } from 'node:crypto'
import { AppError, invalid } from '../../platform/errors.ts'

/** The algorithms that RFC 9530, section 5, does not call insecure, with Node's names. */
const ALGORITHMS = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const
type DigestName = keyof typeof ALGORITHMS

export interface DeclaredDigest {
  name: DigestName
  /** Hexadecimal. */
  value: string
}

const isKnown = (name: string): name is DigestName => Object.hasOwn(ALGORITHMS, name)
// A dictionary member whose value is a byte sequence (RFC 8941, sections 3.2 and 3.3.5). Parameters are ignored.
const MEMBER = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*(?:;.*)?$/

/** Throws for a header without a supported algorithm: its sender relies on a check that would not happen. */
export function readDigests(header: string | undefined, headerName: string): DeclaredDigest[] {
  if (header === undefined) return []
  const fault = (detail: string) => invalid(detail, `/headers/${headerName}`)
  const digests = header.split(',').flatMap((text): DeclaredDigest[] => {
    const [, name = '', base64 = ''] = MEMBER.exec(text) ?? []
    if (name === '') throw fault(`${headerName} must have the form sha-256=:<Base64>: (RFC 9530).`)
    if (!isKnown(name)) return []
    const value = Buffer.from(base64, 'base64')
    const length = createHash(ALGORITHMS[name]).digest().length
    if (value.length !== length) throw fault(`A ${name} digest has ${length} bytes.`)
    return [{ name, value: value.toString('hex') }]
  })
  if (digests.length === 0)
    throw fault(`${headerName} names no supported algorithm: use sha-256 or sha-512.`)
  return digests
}

export interface HashedStream {
  chunks: AsyncGenerator<Uint8Array, void>
  /** Hexadecimal, by algorithm. Complete only after the last chunk. */
  digests: () => Record<string, string>
}

/** Hashes a stream while it is read. `algorithms` are Node's names. */
export function hashStream(
  content: AsyncIterable<Uint8Array>,
  algorithms: Iterable<string>,
): HashedStream {
  const hashes = [...new Set(algorithms)].map((name) => ({ name, hash: createHash(name) }))
  async function* chunks(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of content) {
      for (const { hash } of hashes) hash.update(chunk)
      yield chunk
    }
  }
  const digests = () =>
    Object.fromEntries(hashes.map(({ name, hash }) => [name, hash.digest('hex')]))
  return { chunks: chunks(), digests }
}

/** The algorithms needed to check the declared digests, without SHA-256: the blob store computes that one anyway. */
export const listAlgorithmsToHash = (declared: readonly DeclaredDigest[]) =>
  declared.map(({ name }) => ALGORITHMS[name]).filter((name) => name !== 'sha256')

export function requireDigests(
  declared: readonly DeclaredDigest[],
  found: Readonly<Record<string, string>>,
): void {
  for (const { name, value } of declared)
    if (found[ALGORITHMS[name]] !== value)
      throw new AppError(
        'invalid',
        'artifact-digest-mismatch',
        `The ${name} digest of the received bytes differs from the declared one. Nothing was stored.`,
      )
}

/** The value of a Repr-Digest response header. */
export function formatDigestHeader(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`
}

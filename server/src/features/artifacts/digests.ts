/** Digests of what is sent and kept: Repr-Digest and Content-Digest (RFC 9530), and those that clients of devices check. */
import { createHash } from 'node:crypto'
import { AppError, invalid } from '../../platform/errors.ts'

/** Those that RFC 9530, section 5, does not call insecure, by Node's names for them. */
const ALGORITHMS = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const
type DigestName = keyof typeof ALGORITHMS

export interface DeclaredDigest {
  name: DigestName
  /** Hexadecimal. */
  value: string
}

const isKnown = (name: string): name is DigestName => Object.hasOwn(ALGORITHMS, name)
// A member of a dictionary whose value is a byte sequence (RFC 8941, sections 3.2 and 3.3.5); parameters mean nothing here.
const MEMBER = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*(?:;.*)?$/

/** What the header declares; one that we could not check is refused, as its sender relies on the check. */
export function readDigests(header: string | undefined, headerName: string): DeclaredDigest[] {
  if (header === undefined) return []
  const fault = (detail: string) => invalid(detail, `/headers/${headerName}`)
  const digests = header.split(',').flatMap((text): DeclaredDigest[] => {
    const [, name = '', base64 = ''] = MEMBER.exec(text) ?? []
    if (name === '')
      throw fault(`${headerName} has to be of the form sha-256=:<Base64>: (RFC 9530).`)
    if (!isKnown(name)) return []
    const value = Buffer.from(base64, 'base64')
    const length = createHash(ALGORITHMS[name]).digest().length
    if (value.length !== length) throw fault(`A ${name} digest has ${length} bytes.`)
    return [{ name, value: value.toString('hex') }]
  })
  if (digests.length === 0)
    throw fault(`${headerName} names no algorithm that is checked: use sha-256 or sha-512.`)
  return digests
}

export interface Digested {
  chunks: AsyncGenerator<Uint8Array, void>
  /** After the last chunk. */
  digests: () => Record<string, string>
}

/** Hashes a stream as it passes, by Node's names of the algorithms. */
export function digesting(
  content: AsyncIterable<Uint8Array>,
  algorithms: Iterable<string>,
): Digested {
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

/** What has to be hashed to check them, besides SHA-256, which storing a file tells anyway. */
export const algorithmsOf = (declared: readonly DeclaredDigest[]) =>
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
        `The ${name} digest of what arrived is another than declared. Nothing of it was kept.`,
      )
}

/** As headers of answers say it. */
export function digestHeader(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`
}

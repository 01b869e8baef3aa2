/** Checksums by which statements and SBOMs name a thing, in one spelling: `sha256:ab…`. */
import { isObject, isText, readText } from '../sboms/json-values.ts'

/** Bytes of each algorithm. The standards spell SHA-256, sha-256, SHA256 and sha256; SHA3-256, sha3_256. */
const BYTES: ReadonlyMap<string, number> = new Map([
  ['md5', 16],
  ['sha1', 20],
  ['sha224', 28],
  ['sha256', 32],
  ['sha384', 48],
  ['sha512', 64],
  ['sha3224', 28],
  ['sha3256', 32],
  ['sha3384', 48],
  ['sha3512', 64],
  ['blake2b256', 32],
  ['blake2b384', 48],
  ['blake2b512', 64],
  ['blake2s256', 32],
])

/** undefined: not a value of this algorithm. It may be in hexadecimal of any case, or in base64 (RFC 4648, both alphabets). */
export function formatHashName(algorithm: string, value: string): string | undefined {
  const name = algorithm.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const text = value.trim().replace(/^(?:[a-z0-9_-]+[:=]|0x)(?=[0-9a-f]+$)/i, '')
  const bytes = BYTES.get(name)
  if (/^(?:[0-9a-f]{2})+$/i.test(text) && (bytes === undefined || text.length === 2 * bytes))
    return text.length < SHORTEST ? undefined : `${name}:${text.toLowerCase()}`
  if (bytes === undefined || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined
  const decoded = Buffer.from(text, 'base64')
  return decoded.length === bytes ? `${name}:${decoded.toString('hex')}` : undefined
}

/** MD5: a shorter text is no checksum that tells things apart. */
const SHORTEST = 32

/** OpenVEX has a map of algorithms; CycloneDX, SPDX and CSAF lists of objects. */
export function listHashNames(hashes: unknown): string[] {
  const pairs: [unknown, unknown][] = Array.isArray(hashes)
    ? hashes
        .filter(isObject)
        .map((one) => [
          readText(one['alg']) ?? one['algorithm'],
          readText(one['content']) ?? readText(one['value']) ?? one['hashValue'],
        ])
    : isObject(hashes)
      ? Object.entries(hashes)
      : []
  const names = pairs.flatMap(([algorithm, value]) =>
    isText(algorithm) && isText(value) ? (formatHashName(algorithm, value) ?? []) : [],
  )
  return [...new Set(names)]
}

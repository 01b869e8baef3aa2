/** Values in DER (X.690) one after the other, without a tree of them: a revocation list may have 100,000 entries. */

/** Where a value begins and ends, and where its content begins. */
export interface DerPart {
  tag: number
  start: number
  content: number
  end: number
}

export const DER_SEQUENCE = 0x30
export const DER_INTEGER = 0x02
export const DER_BOOLEAN = 0x01
export const DER_BIT_STRING = 0x03
export const DER_UTC_TIME = 0x17
export const DER_GENERALIZED_TIME = 0x18

/** The bytes are not what DER allows there. */
export class MalformedDer extends Error {
  override readonly name = 'MalformedDer'
}

/** The value at `start`, which has to end before `limit`. */
export function readDerPart(bytes: Buffer, start: number, limit: number): DerPart {
  const [tag, first] = [bytes[start], bytes[start + 1]]
  // Tags of several bytes are not used in certificates and lists.
  if (tag === undefined || first === undefined || start + 2 > limit || (tag & 0x1f) === 0x1f)
    throw new MalformedDer()
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  // DER has no indefinite length (0x80), and nothing here has 4 GiB.
  if (first === 0x80 || lengthBytes > 4 || start + 2 + lengthBytes > limit) throw new MalformedDer()
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(start + 2, lengthBytes)
  const content = start + 2 + lengthBytes
  if (content + length > limit) throw new MalformedDer()
  return { tag, start, content, end: content + length }
}

/** The values inside one that is made of others. */
export function* readDerParts(
  bytes: Buffer,
  { content, end }: Pick<DerPart, 'content' | 'end'>,
): Generator<DerPart> {
  for (let at = content; at < end;) {
    const part = readDerPart(bytes, at, end)
    yield part
    at = part.end
  }
}

export function encodeDerSequence(parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  const head = length < 0x80 ? [length] : [0x80 | bytes.length, ...bytes]
  return Buffer.concat([Buffer.from([DER_SEQUENCE, ...head]), ...parts])
}

/** Tells JSON documents of one content by one digest, however they are written. */
import { createHash, type Hash } from 'node:crypto'

/** SHA-256 of the value with sorted members and without white space, in hexadecimal. */
export function hashJsonContent(value: unknown): string {
  const hash = createHash('sha256')
  const pieces: string[] = []
  write(value, pieces, hash)
  return hash.update(pieces.join('')).digest('hex')
}

const MOST_PIECES = 10_000

function write(value: unknown, pieces: string[], hash: Hash): void {
  if (pieces.length > MOST_PIECES) hash.update(pieces.splice(0).join(''))
  if (Array.isArray(value)) {
    pieces.push('[')
    value.forEach((one, at) => {
      if (at > 0) pieces.push(',')
      write(one, pieces, hash)
    })
    pieces.push(']')
  } else if (typeof value === 'object' && value !== null) {
    pieces.push('{')
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    members.forEach(([name, one], at) => {
      pieces.push(at > 0 ? ',' : '', JSON.stringify(name), ':')
      write(one, pieces, hash)
    })
    pieces.push('}')
  } else pieces.push(JSON.stringify(value ?? null))
}

/**
 * Two members of one name in an object of JSON: readers see different ones (RFC 8259 section 4), and JSON.parse drops all but the
 * last without a word.
 */
import { scanJson } from './sboms/json-scan.ts'
import { makeStorable } from './sboms/text.ts'

/** @throws TypeError where the bytes are not UTF-8; SyntaxError where they are not JSON, or name a member twice. */
export function parseUniqueJson(bytes: Uint8Array): unknown {
  const value: unknown = JSON.parse(UTF8.decode(bytes))
  if (scanJson(bytes, UNLIMITED).members > countMembers(value)) throw new DuplicateMember()
  return value
}

export class DuplicateMember extends SyntaxError {
  override name = 'DuplicateMember'
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Who calls has limited the size. */
const UNLIMITED = { depth: Infinity, values: Infinity, valuesLimit: Infinity }

/** In valid JSON each colon outside a string is a member, so text with more of them than its value has lost some. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
  let count = Array.isArray(value) ? 0 : inner.length
  for (const one of inner) if (typeof one === 'object') count += countMembers(one)
  return count
}

interface Open {
  /** undefined: an array. */
  names: Set<string> | undefined
  /** The member that is being read; its name or its place. */
  at: string | number
  awaitsName: boolean
}

/** The JSON pointer of the first member whose name its object has already. The text has to be valid JSON. */
export function findDuplicate(text: string): string | undefined {
  const open: Open[] = []
  for (let at = 0; at < text.length; at += 1) {
    const inner = open.at(-1)
    switch (text.charAt(at)) {
      case '"': {
        const end = endOfString(text, at)
        if (inner?.awaitsName === true && isTaken(inner, text.slice(at, end)))
          return formatPointer(open)
        at = end - 1
        break
      }
      case '{':
        open.push({ names: new Set(), at: '', awaitsName: true })
        break
      case '[':
        open.push({ names: undefined, at: 0, awaitsName: false })
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        if (inner) goOn(inner)
        break
      default:
    }
  }
  return undefined
}

function isTaken(inner: Open, quoted: string): boolean {
  const name = JSON.parse(quoted) as string
  const isKnown = inner.names?.has(name) === true
  inner.names?.add(name)
  inner.at = name
  inner.awaitsName = false
  return isKnown
}

function goOn(inner: Open): void {
  if (typeof inner.at === 'number') inner.at += 1
  else inner.awaitsName = true
}

/** The place after its closing quote. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function formatPointer(open: readonly Open[]): string {
  const parts = open.map(({ at }) => String(at).replaceAll('~', '~0').replaceAll('/', '~1'))
  return makeStorable(`/${parts.join('/')}`)
}

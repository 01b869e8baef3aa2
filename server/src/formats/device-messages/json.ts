/** JSON (RFC 8259) as devices send it. */
import { isUtf8 } from 'node:buffer'
import { countMembers } from '../duplicate-members.ts'
import { LIMITS } from './limits.ts'
import { malformed } from './malformed.ts'

export function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw malformed('is not UTF-8')
  const { depth, members } = scan(bytes)
  if (depth > LIMITS.depth) throw malformed(`is nested deeper than ${LIMITS.depth} levels`)
  const value = parse(new TextDecoder().decode(bytes))
  if (members > countMembers(value)) throw malformed('names a member of an object twice')
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const CURLY = 0x20

/** Before it is parsed, as depth has to be known by then. */
function scan(bytes: Uint8Array): { depth: number; members: number } {
  let open = 0
  let depth = 0
  let members = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === COLON) members++
    else if ((byte | CURLY) === 0x7b) depth = Math.max(depth, ++open)
    else if ((byte | CURLY) === 0x7d) open--
  }
  return { depth, members }
}

function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

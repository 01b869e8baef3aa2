/** UTF-8 bytes of JSON → value, within limits and with errors that name line and column. */
import { countMembers, findDuplicate } from '../duplicate-members.ts'
import { findJsonFault } from './json-fault.ts'
import { scanJson, type Budget } from './json-scan.ts'
import { SbomError } from './sbom-error.ts'
import { decodeUtf8, describePosition, makeStorable } from './text.ts'

export interface ParsedJson {
  value: unknown
  /** Whether characters that PostgreSQL cannot store were replaced. */
  hadUnstorable: boolean
  /** The JSON pointer of the first member whose name its object has twice. */
  duplicate?: string | undefined
}

export function parseJson(bytes: Uint8Array, budget: Budget): ParsedJson {
  const { values, members } = scanJson(bytes, budget)
  budget.values -= values
  const text = decodeUtf8(bytes)
  try {
    const parsed = mayHoldUnstorable(text)
      ? parseStorable(text)
      : { value: JSON.parse(text) as unknown, hadUnstorable: false }
    const isComplete = members === countMembers(parsed.value)
    return isComplete ? parsed : { ...parsed, duplicate: findDuplicate(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const fault = findJsonFault(text)
    if (fault === undefined) throw error
    throw new SbomError(
      'malformed',
      `The JSON is broken. ${describePosition(text, fault.offset)}: ${fault.what}.`,
    )
  }
}

/** U+0000 and lone surrogates can only occur as escapes, since the check of the encoding refuses them otherwise. */
function mayHoldUnstorable(text: string): boolean {
  return text.includes('\\u0000') || text.includes('\\ud') || text.includes('\\uD')
}

/** Names of members count as well: documents are kept with members that nobody knows. */
function parseStorable(text: string): ParsedJson {
  let hadUnstorable = false
  const makeWhole = (part: string) => {
    const whole = makeStorable(part)
    hadUnstorable ||= whole !== part
    return whole
  }
  const value: unknown = JSON.parse(text, (_key, member: unknown) => {
    if (typeof member === 'string') return makeWhole(member)
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).map(([name, one]) => [makeWhole(name), one]))
  })
  return { value, hadUnstorable }
}

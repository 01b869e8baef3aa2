/** Checks that apply to every message before its members are read, and the check against its schema. */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Fault, malformed, MalformedMessage } from './malformed.ts'

/** Removes members that are null, which is the same as absent, and refuses what no database keeps. */
export function removeNulls<Value>(value: Value, place = ''): Value {
  const pointer = tidy(value)
  if (pointer === undefined) return value
  const detail =
    'holds a text that cannot be stored: U+0000, half a surrogate pair, or the name __proto__'
  throw malformed(detail, place + pointer)
}

/** Where the fault is: put together on the way back, so that what has none costs no texts. */
function tidy(value: unknown): string | undefined {
  if (typeof value === 'string') return isText(value) ? undefined : ''
  if (Array.isArray(value)) return tidyList(value)
  return isObject(value) ? tidyMembers(value) : undefined
}

function tidyList(list: readonly unknown[]): string | undefined {
  for (let at = 0; at < list.length; at++) {
    const fault = tidy(list[at])
    if (fault !== undefined) return `/${at}${fault}`
  }
  return undefined
}

function tidyMembers(members: Record<string, unknown>): string | undefined {
  for (const name of Object.keys(members)) {
    const value = members[name]
    const fault = name === '__proto__' || !isText(name) ? '' : tidy(value)
    if (fault !== undefined) return `/${escapePointer(name)}${fault}`
    if (value === null) delete members[name]
  }
  return undefined
}

function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MOST_FAULTS = 20
/** The alternatives of a choice, and the names that do not fit, are listed one by one already. */
const LISTED: ReadonlySet<string> = new Set(['anyOf', 'additionalProperties'])

/** Answers the value as its schema types it, or throws its faults, with pointers that begin with `place`. */
export function createChecker<Schema extends TSchema>(schema: Schema) {
  const validator = Compile(schema)
  return (value: unknown, place: string): Static<Schema> => {
    if (validator.Check(value)) return value
    const faults = new Map<string, Fault>()
    for (const { instancePath, keyword, params, message } of validator.Errors(value)) {
      const pointer = place + instancePath
      const isListed = LISTED.has(keyword) || faults.has(pointer)
      const detail =
        keyword === 'boolean' ? 'is not a name this takes' : describeFault(params, message)
      if (!isListed) faults.set(pointer, { pointer, detail })
      if (faults.size === MOST_FAULTS) break
    }
    throw new MalformedMessage([...faults.values()])
  }
}

function describeFault(params: object, message: string): string {
  if ('allowedValues' in params && Array.isArray(params.allowedValues))
    return `must be one of ${params.allowedValues.join(', ')}`
  if ('requiredProperties' in params && Array.isArray(params.requiredProperties))
    return `lacks ${params.requiredProperties.join(', ')}`
  return message
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

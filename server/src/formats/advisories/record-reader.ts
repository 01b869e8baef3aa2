/** Reads one published record. Every value is checked where it is used; a wrong type names its JSON pointer. */
import type { ParseOutcome } from './model.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Why one record cannot be used; never leaves `readRecord`. */
export class RecordFault extends Error {}

/** Runs `read` on a record. A fault makes it a skipped record, so that one bad record never ends a feed. */
export function readRecord<T>(
  json: unknown,
  idOf: (record: JsonObject) => unknown,
  read: (record: JsonObject) => T,
): ParseOutcome<T> {
  if (!isObject(json)) return { ok: false, id: undefined, reason: 'the record is not an object' }
  try {
    return { ok: true, value: read(json) }
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error
    const id = idOf(json)
    return {
      ok: false,
      id: typeof id === 'string' ? id.slice(0, 128) : undefined,
      reason: error.message,
    }
  }
}

export function fault(pointer: string, detail: string): RecordFault {
  return new RecordFault(`${pointer === '' ? 'the record' : pointer} ${detail}`)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined when absent or null. */
export function readObject(of: JsonObject, key: string, at: string): JsonObject | undefined {
  const value = of[key]
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) throw fault(`${at}/${key}`, 'is not an object')
  return value
}

/** Empty when absent or null. */
export function readObjects(of: JsonObject, key: string, at: string): readonly JsonObject[] {
  const list = arrayAt(of, key, at)
  if (list.every(isObject)) return list
  throw fault(`${at}/${key}/${list.findIndex((item) => !isObject(item))}`, 'is not an object')
}

export function readTexts(of: JsonObject, key: string, at: string): string[] {
  const list = arrayAt(of, key, at)
  if (list.every((item) => typeof item === 'string')) return list.map(makeStorable)
  const wrong = list.findIndex((item) => typeof item !== 'string')
  throw fault(`${at}/${key}/${wrong}`, 'is not a string')
}

export function readText(of: JsonObject, key: string, at: string): string | undefined {
  const value = of[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw fault(`${at}/${key}`, 'is not a string')
  return makeStorable(value)
}

export function requireText(of: JsonObject, key: string, at: string): string {
  const value = readText(of, key, at)
  if (value === undefined || value === '') throw fault(`${at}/${key}`, 'is missing')
  return value
}

export function readNumber(of: JsonObject, key: string, at: string): number | undefined {
  const value = of[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number') throw fault(`${at}/${key}`, 'is not a number')
  return value
}

/** False when absent or null. */
export function flagAt(of: JsonObject, key: string, at: string): boolean {
  const value = of[key]
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean') throw fault(`${at}/${key}`, 'is not a boolean')
  return value
}

/** Ids become keys of indexes and parts of URLs: printable ASCII without spaces, of a sane length. */
export function requireIdentifier(of: JsonObject, key: string, at: string): string {
  const value = requireText(of, key, at)
  if (!isIdentifier(value)) throw fault(`${at}/${key}`, 'is not a usable identifier')
  return value
}

export function isIdentifier(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text)
}

export function requireCveId(of: JsonObject, key: string, at: string): string {
  const value = requireText(of, key, at)
  if (!isCveId(value)) throw fault(`${at}/${key}`, 'is not a CVE id')
  return value
}

export function isCveId(text: string): boolean {
  return /^CVE-\d{4}-\d{4,19}$/.test(text)
}

/**
 * ISO 8601 in UTC. Times without an offset are UTC, as in NVD and old CVE records. An impossible date counts as absent: it is no
 * reason to lose the record's versions.
 */
export function timeAt(of: JsonObject, key: string, at: string): string | undefined {
  const value = readText(of, key, at)
  if (value === undefined) return undefined
  if (ISO_TIME.test(value)) return value
  const [, day, clock, offset] = TIME.exec(value) ?? []
  if (day === undefined) return undefined
  return isoTime(
    new Date(clock === undefined ? day : `${day}T${clock}${offset?.toUpperCase() ?? 'Z'}`),
  )
}

function isoTime(time: Date): string | undefined {
  const year = time.getUTCFullYear()
  return year >= 1970 && year <= 9999 ? time.toISOString() : undefined
}

/** Most times are written as we write them. Days that not every month has are left to the calendar. */
const ISO_TIME =
  /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|z|[+-]\d{2}:?\d{2})?)?$/

/** The time of a withdrawal that the record does not date. */
export const LONG_AGO = '1970-01-01T00:00:00.000Z'

/** The English text, else the first. */
export function readEnglishText(of: JsonObject, key: string, at: string): string | undefined {
  const texts = readObjects(of, key, at)
  const english = texts.findIndex(({ lang }) => typeof lang === 'string' && /^en/i.test(lang))
  const index = Math.max(english, 0)
  const chosen = texts[index]
  return chosen && readText(chosen, 'value', `${at}/${key}/${index}`)
}

function arrayAt(of: JsonObject, key: string, at: string): readonly unknown[] {
  const value = of[key]
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw fault(`${at}/${key}`, 'is not an array')
  return value
}

/** PostgreSQL's text and jsonb cannot store NUL or lone surrogates. */
export function makeStorable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole
}

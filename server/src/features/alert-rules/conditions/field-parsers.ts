/** Parses a JSON object field by field, and collects every fault with a JSON pointer to it. */
import type { FieldError } from '../../../platform/errors.ts'
import { DURATION_PATTERN, parseDuration, formatDuration } from '../duration.ts'

/** The place of a value, and the faults found so far. */
export interface Place {
  pointer: string
  errors: FieldError[]
}

/** Returns undefined after it has added a fault. */
type Parser<Value> = (given: unknown, place: Place) => Value | undefined

export interface Field<Value> {
  parse: Parser<Value>
  /** The value of a field that is left out; undefined: the field is required. */
  fallback: Value | undefined
}

export type Fields<Shape> = { [Name in keyof Shape]: Field<Shape[Name]> }

export function requireField<Value>(parse: Parser<Value>): Field<Value> {
  return { parse, fallback: undefined }
}

export function allowAbsent<Value>(fallback: Value, parse: Parser<Value>): Field<Value> {
  return { parse, fallback }
}

function refuse({ pointer, errors }: Place, detail: string): undefined {
  errors.push({ pointer, detail })
}

function inside(place: Place, name: string): Place {
  const escaped = name.replaceAll('~', '~0').replaceAll('/', '~1')
  return { pointer: `${place.pointer}/${escaped}`, errors: place.errors }
}

function isRecord(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}

/** An unknown field is a fault, too. */
export function parseFields<Shape extends object>(
  given: unknown,
  fields: Fields<Shape>,
  place: Place,
): Shape | undefined {
  if (!isRecord(given)) return refuse(place, 'must be an object')
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name)) refuse(inside(place, name), 'is not a known field')
  const found = Object.entries<Field<unknown>>(fields).map(([name, { parse, fallback }]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value !== undefined) return [name, parse(value, inside(place, name))]
    if (fallback === undefined) refuse(inside(place, name), 'is missing')
    return [name, fallback]
  })
  // Without a fault, all fields are there.
  return place.errors.length === 0 ? (Object.fromEntries(found) as Shape) : undefined
}

export function allowNull<Value>(parse: Parser<Value>): Parser<Value | null> {
  return (given, place) => (given === null ? null : parse(given, place))
}

export function parseTextUpTo(maxCharacters: number): Parser<string> {
  return (given, place) => {
    if (typeof given !== 'string') return refuse(place, 'must be a string')
    if (given.length === 0 || given.length > maxCharacters)
      return refuse(place, `must have between 1 and ${maxCharacters} characters`)
    return given
  }
}

/** The id of another resource; stored ids are in lower case. */
export const parseId: Parser<string> = (given, place) =>
  parseTextUpTo(200)(given, place)?.toLowerCase()

export function parseOneOf<Value extends string>(values: readonly Value[]): Parser<Value> {
  return (given, place) =>
    values.find((value) => value === given) ?? refuse(place, `must be one of ${values.join(', ')}`)
}

export const flag: Parser<boolean> = (given, place) =>
  typeof given === 'boolean' ? given : refuse(place, 'must be true or false')

/** JSON has no NaN and no Infinity, but JavaScript parses 1e999 as Infinity. */
export const parseNumber: Parser<number> = (given, place) => {
  if (typeof given !== 'number') return refuse(place, 'must be a number')
  return Number.isFinite(given) ? given : refuse(place, 'is too large')
}

interface Bounds {
  min: number
  max: number
  isInteger?: boolean
}

export function parseNumberWithin({ min, max, isInteger = false }: Bounds): Parser<number> {
  const detail = `must be ${isInteger ? 'an integer' : 'a number'} between ${min} and ${max}`
  return (given, place) => {
    const fits = typeof given === 'number' && given >= min && given <= max
    return fits && (!isInteger || Number.isInteger(given)) ? given : refuse(place, detail)
  }
}

const DURATION = new RegExp(DURATION_PATTERN, 'u')

/** A duration such as `5m`, `1h` or `7d`. */
export function parseDurationUpTo(maxSeconds: number): Parser<string> {
  return (given, place) => {
    const isDuration = typeof given === 'string' && DURATION.test(given)
    if (!isDuration) return refuse(place, 'must be a duration such as 5m, 1h or 7d, at least 1m')
    if (parseDuration(given) > maxSeconds)
      return refuse(place, `must be at most ${formatDuration(maxSeconds)}`)
    return given
  }
}

export function parseListOf<Value>(parse: Parser<Value>, maxEntries: number): Parser<Value[]> {
  return (given, place) => {
    if (!Array.isArray(given)) return refuse(place, 'must be an array')
    if (given.length > maxEntries) return refuse(place, `may have at most ${maxEntries} entries`)
    const values = given.map((one: unknown, at) => parse(one, inside(place, String(at))))
    return [...new Set(values.filter((value) => value !== undefined))]
  }
}

export function requireEntry<Value>(parse: Parser<Value[]>): Parser<Value[]> {
  return (given, place) =>
    Array.isArray(given) && given.length === 0
      ? refuse(place, 'must have at least one entry')
      : parse(given, place)
}

interface TextMapRules {
  maxEntries: number
  name: RegExp
  nameFault: string
  maxValueCharacters: number
}

export function parseTextMap(rules: TextMapRules): Parser<Record<string, string>> {
  const { maxEntries, name, nameFault, maxValueCharacters } = rules
  return (given, place) => {
    if (!isRecord(given)) return refuse(place, 'must be an object of strings')
    const entries = Object.entries(given)
    if (entries.length > maxEntries) return refuse(place, `may have at most ${maxEntries} entries`)
    for (const [key, value] of entries) {
      const at = inside(place, key)
      if (!name.test(key)) refuse(at, nameFault)
      else if (typeof value !== 'string') refuse(at, 'must be a string')
      else if (value.length > maxValueCharacters)
        refuse(at, `may have at most ${maxValueCharacters} characters`)
    }
    return given as Record<string, string>
  }
}

/** Reads what a rule asks for, field by field: each fault is said in words, with where it is. */
import type { FieldError } from '../../platform/errors.ts'
import { DURATION_PATTERN, durationSeconds, formatDuration } from './duration.ts'

/** Where something stands, and what is wrong so far. */
export interface Place {
  pointer: string
  errors: FieldError[]
}

/** undefined: the fault was said. */
type Read<Value> = (given: unknown, place: Place) => Value | undefined

export interface Field<Value> {
  read: Read<Value>
  /** Taken where the field is left out; undefined: it has to be there. */
  fallback: Value | undefined
}

export type Fields<Shape> = { [Name in keyof Shape]: Field<Shape[Name]> }

export function needed<Value>(read: Read<Value>): Field<Value> {
  return { read, fallback: undefined }
}

export function optional<Value>(fallback: Value, read: Read<Value>): Field<Value> {
  return { read, fallback }
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

/** Nothing is left over: a field nobody knows is a fault, too. */
export function readFields<Shape extends object>(
  given: unknown,
  fields: Fields<Shape>,
  place: Place,
): Shape | undefined {
  if (!isRecord(given)) return refuse(place, 'has to be an object')
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name)) refuse(inside(place, name), 'is not a known field')
  const found = Object.entries<Field<unknown>>(fields).map(([name, { read, fallback }]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value !== undefined) return [name, read(value, inside(place, name))]
    if (fallback === undefined) refuse(inside(place, name), 'is missing')
    return [name, fallback]
  })
  // Complete where no fault was said.
  return place.errors.length === 0 ? (Object.fromEntries(found) as Shape) : undefined
}

export function orNull<Value>(read: Read<Value>): Read<Value | null> {
  return (given, place) => (given === null ? null : read(given, place))
}

export function text(most: number): Read<string> {
  return (given, place) => {
    if (typeof given !== 'string') return refuse(place, 'has to be a text')
    if (given.length === 0 || given.length > most)
      return refuse(place, `has to have between 1 and ${most} characters`)
    return given
  }
}

/** Of another resource; ids are written in lower case. */
export const id: Read<string> = (given, place) => text(200)(given, place)?.toLowerCase()

export function oneOf<Value extends string>(values: readonly Value[]): Read<Value> {
  return (given, place) =>
    values.find((value) => value === given) ??
    refuse(place, `has to be one of ${values.join(', ')}`)
}

export const flag: Read<boolean> = (given, place) =>
  typeof given === 'boolean' ? given : refuse(place, 'has to be true or false')

/** JSON knows neither NaN nor Infinity, but 1e999 becomes the latter. */
export const number: Read<number> = (given, place) => {
  if (typeof given !== 'number') return refuse(place, 'has to be a number')
  return Number.isFinite(given) ? given : refuse(place, 'is too large a number')
}

interface Bounds {
  least: number
  most: number
  isWhole?: boolean
}

export function numberWithin({ least, most, isWhole = false }: Bounds): Read<number> {
  const words = `has to be a ${isWhole ? 'whole ' : ''}number between ${least} and ${most}`
  return (given, place) => {
    const fits = typeof given === 'number' && given >= least && given <= most
    return fits && (!isWhole || Number.isInteger(given)) ? given : refuse(place, words)
  }
}

const DURATION = new RegExp(DURATION_PATTERN, 'u')

/** A length of time, as `5m`, `1h` or `7d`. */
export function duration(most: number): Read<string> {
  return (given, place) => {
    const isOne = typeof given === 'string' && DURATION.test(given)
    if (!isOne) return refuse(place, 'has to be a length of time such as 5m, 1h or 7d: at least 1m')
    if (durationSeconds(given) > most)
      return refuse(place, `may be ${formatDuration(most)} at the most`)
    return given
  }
}

export function listOf<Value>(read: Read<Value>, most: number): Read<Value[]> {
  return (given, place) => {
    if (!Array.isArray(given)) return refuse(place, 'has to be a list')
    if (given.length > most) return refuse(place, `may have ${most} entries at the most`)
    const values = given.map((one: unknown, at) => read(one, inside(place, String(at))))
    return [...new Set(values.filter((value) => value !== undefined))]
  }
}

interface TextMap {
  most: number
  name: RegExp
  nameWords: string
  valueCharacters: number
}

export function textMap({
  most,
  name,
  nameWords,
  valueCharacters,
}: TextMap): Read<Record<string, string>> {
  return (given, place) => {
    if (!isRecord(given)) return refuse(place, 'has to be an object of texts')
    const entries = Object.entries(given)
    if (entries.length > most) return refuse(place, `may have ${most} entries at the most`)
    for (const [key, value] of entries) {
      const at = inside(place, key)
      if (!name.test(key)) refuse(at, nameWords)
      else if (typeof value !== 'string') refuse(at, 'has to be a text')
      else if (value.length > valueCharacters)
        refuse(at, `may have ${valueCharacters} characters at the most`)
    }
    return given as Record<string, string>
  }
}

/**
 * CPE names: the 2.3 formatted string and the 2.2 URI (NISTIR 7695, sections 6.1 and 6.2). Reading is lenient about
 * case, missing backslashes and missing trailing attributes, since real documents have them.
 */
import type { VersionScheme } from './versions/schemes.ts'

export const CPE_ATTRIBUTES = [
  'part',
  'vendor',
  'product',
  'version',
  'update',
  'edition',
  'language',
  'swEdition',
  'targetSw',
  'targetHw',
  'other',
] as const
export type CpeAttribute = (typeof CPE_ATTRIBUTES)[number]

/**
 * The values as the formatted string writes them, in small letters: `*` is ANY, `-` is NA, and every other mark but
 * `.`, `-` and `_` has a backslash before it unless it is a wildcard. So `\-` is a hyphen, and `1.*` a pattern.
 */
export type Cpe = Readonly<Record<CpeAttribute, string>>

export const ANY = '*'
export const NA = '-'

const MOST_CHARACTERS = 4096

export type CpeReading = { cpe: Cpe } | { fault: string }

export function parseCpe(text: string): Cpe | undefined {
  const reading = readCpe(text)
  return 'cpe' in reading ? reading.cpe : undefined
}

/** The name, or the reason in words why the text is not a CPE name. */
export function readCpe(text: string): CpeReading {
  if (text.length > MOST_CHARACTERS)
    return { fault: `it is longer than ${MOST_CHARACTERS} characters` }
  const trimmed = text.trim()
  const values = /^cpe:2\.3:/i.test(trimmed)
    ? readFormattedString(trimmed.slice(8))
    : /^cpe:\//i.test(trimmed)
      ? readUri(trimmed.slice(5))
      : 'it begins with neither cpe:2.3: nor cpe:/'
  return typeof values === 'string' ? { fault: values } : checkValues(values)
}

/** The 2.3 formatted string. */
export function formatCpe(cpe: Cpe): string {
  return `cpe:2.3:${CPE_ATTRIBUTES.map((attribute) => cpe[attribute]).join(':')}`
}

/** The text of a value; undefined for ANY, NA and patterns, which have no single text. */
export function readCpeValue(value: string): string | undefined {
  if (value === ANY || value === NA || hasWildcard(value)) return undefined
  return unquote(value)
}

/** The version scheme of a product that has a scheme of its own. */
export function findCpeScheme({ vendor, product }: Pick<Cpe, 'vendor' | 'product'>): VersionScheme {
  if (product === 'linux_kernel') return 'kernel'
  return product === 'openssl' && (vendor === 'openssl' || vendor === ANY) ? 'openssl' : 'generic'
}

/** An unquoted `*` or `?`. */
export function hasWildcard(value: string): boolean {
  return /^[*?]|(?<!\\)(?:\\\\)*[*?]$/.test(value) && value !== ANY
}

/** Removes the backslashes. */
export function unquote(value: string): string {
  return value.replace(/\\(.)/gs, '$1')
}

function readFormattedString(text: string): string[] | string {
  const parts = splitAtColons(text)
  if (parts.length > CPE_ATTRIBUTES.length) return `it has ${parts.length} attributes instead of 11`
  return parts.map((part) => (part === '' ? ANY : escapeMarks(part)))
}

/** A colon that a backslash quotes is part of its value. */
function splitAtColons(text: string): string[] {
  if (!text.includes('\\')) return text.split(':')
  const parts = ['']
  for (const [piece] of text.matchAll(/\\.?|[^:\\]+|:/gs)) {
    if (piece === ':') parts.push('')
    else parts.push((parts.pop() ?? '') + piece)
  }
  return parts
}

/** Reads the URI, whose edition may pack `~edition~sw_edition~target_sw~target_hw~other`. */
function readUri(text: string): string[] | string {
  const parts = text.split(':')
  if (parts.length > 7) return `it has ${parts.length} attributes instead of 7`
  const [edition = '', ...extended] = (parts[5] ?? '').startsWith('~')
    ? (parts[5] ?? '').slice(1).split('~')
    : [parts[5] ?? '']
  if (extended.length > 4) return 'its packed edition has more than 5 parts'
  const beforeEdition = [0, 1, 2, 3, 4].map((index) => parts[index] ?? '')
  return [...beforeEdition, edition, parts[6] ?? '', ...extended].map((part) =>
    part === '' ? ANY : escapeMarks(decodeMarks(part)),
  )
}

/** `%01` and `%02` are the wildcards; every other encoded character stands for itself. */
function decodeMarks(part: string): string {
  return part.replace(/[*?]/g, '\\$&').replace(/%([0-9a-f]{2})/gi, (_, hex: string) => {
    if (hex === '01') return '?'
    if (hex === '02') return '*'
    return `\\${String.fromCharCode(Number.parseInt(hex, 16))}`
  })
}

/** Writes small letters, with a backslash exactly before the marks that need one. */
function escapeMarks(part: string): string {
  if (part === NA || part === '\\-') return part
  if (PLAIN.test(part)) return part
  return part.toLowerCase().replace(/\\(.)|[^*?]/gs, (whole, quoted?: string) => {
    const character = quoted ?? whole
    return /[\p{L}\p{N}._-]/u.test(character) ? character : `\\${character}`
  })
}

/** Most values: nothing in them needs a backslash. */
const PLAIN = /^[a-z\d._-]*$/

function checkValues(values: readonly string[]): CpeReading {
  const at = (index: number) => values[index] ?? ANY
  const part = at(0)
  if (!/^[aoh*-]$/.test(part)) return { fault: `${part} is not a part` }
  if (values.length < 3) return { fault: 'it has no product' }
  const inside = values.find(hasWildcardInside)
  if (inside !== undefined) return { fault: `${inside} has a wildcard inside` }
  return {
    cpe: {
      part,
      vendor: at(1),
      product: at(2),
      version: at(3),
      update: at(4),
      edition: at(5),
      language: at(6),
      swEdition: at(7),
      targetSw: at(8),
      targetHw: at(9),
      other: at(10),
    },
  }
}

function hasWildcardInside(value: string): boolean {
  if (!/[*?]/.test(value)) return false
  const characters = value.match(/\\?./gs) ?? []
  const isLiteral = (character: string) => character !== '*' && character !== '?'
  const first = characters.findIndex(isLiteral)
  return !characters.slice(first, characters.findLastIndex(isLiteral) + 1).every(isLiteral)
}

/** Shared by the readers of the standards. */
import { isObject, isText, readText, type JsonObject } from '../sboms/json-values.ts'
import { VexError, type VexFault, type VexThing } from './model.ts'

export function createThing(): VexThing {
  return { purls: [], cpes: [], versions: [] }
}

/** Reads an identifier of unknown kind: a purl or a CPE names a product by itself. */
export function readIdentifier(id: string): VexThing {
  const thing: VexThing = { ...createThing(), ref: id }
  if (/^pkg:/i.test(id)) thing.purls.push(id)
  else if (/^cpe:(?:2\.3:|\/)/i.test(id)) thing.cpes.push(id)
  return thing
}

/** A time in UTC; undefined for an invalid one. A time without offset counts as UTC. */
export function readTime(value: unknown): string | undefined {
  if (!isText(value)) return undefined
  const hasOffset = /(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(value)
  const time = Date.parse(hasOffset || !value.includes('T') ? value : `${value}Z`)
  if (Number.isNaN(time)) return undefined
  const text = new Date(time).toISOString()
  // Only years 1 to 9999: others are mistakes that no database can store.
  return /^(?!0000)\d{4}-/.test(text) ? text : undefined
}

/** Joins texts with blank lines, without empty and repeated ones. */
export function joinTexts(texts: readonly unknown[]): string | undefined {
  const said = texts.flatMap((text) => readText(isText(text) ? text.trim() : undefined) ?? [])
  return said.length === 0 ? undefined : [...new Set(said)].join('\n\n')
}

/** The objects of a mandatory list, with their pointers; anything else is a fault. */
export function readEntries(
  list: unknown,
  pointer: string,
  faults: VexFault[],
): { entry: JsonObject; pointer: string }[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) throw new VexError(`The value at ${pointer} is not a list.`, pointer)
  return list.flatMap((entry: unknown, index) => {
    const place = `${pointer}/${index}`
    if (isObject(entry)) return { entry, pointer: place }
    faults.push({ pointer: place, detail: 'is not an object' })
    return []
  })
}

export function listTexts(list: unknown): string[] {
  const items: unknown[] = Array.isArray(list) ? list : []
  return items.filter(isText).filter((text) => text !== '')
}

/** CVE ids are written in capitals; other ids as they are. */
export function normaliseVulnerabilityId(text: string): string {
  const trimmed = text.trim()
  return /^cve-\d/i.test(trimmed) ? trimmed.toUpperCase() : trimmed
}

/** Without percent-encoding (RFC 3986); a text with a faulty one stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

/** What the readers of the standards share. */
import { isObject, isText, textOf, type JsonObject } from '../sboms/json-values.ts'
import { VexError, type VexFault, type VexThing } from './model.ts'

export function emptyThing(): VexThing {
  return { purls: [], cpes: [], versions: [] }
}

/** What an identifier of unknown kind says: a purl and a CPE name products by themselves. */
export function thingOfId(id: string): VexThing {
  const thing: VexThing = { ...emptyThing(), ref: id }
  if (/^pkg:/i.test(id)) thing.purls.push(id)
  else if (/^cpe:(?:2\.3:|\/)/i.test(id)) thing.cpes.push(id)
  return thing
}

/** In UTC; undefined for what is no time. Those without an offset are taken for UTC. */
export function timeOf(value: unknown): string | undefined {
  if (!isText(value)) return undefined
  const hasOffset = /(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(value)
  const time = Date.parse(hasOffset || !value.includes('T') ? value : `${value}Z`)
  if (Number.isNaN(time)) return undefined
  const text = new Date(time).toISOString()
  // Of the years 1 to 9999: others are mistakes, which no database holds.
  return /^(?!0000)\d{4}-/.test(text) ? text : undefined
}

/** The texts that say something, apart by a blank line, each once. */
export function joinTexts(texts: readonly unknown[]): string | undefined {
  const said = texts.flatMap((text) => textOf(isText(text) ? text.trim() : undefined) ?? [])
  return said.length === 0 ? undefined : [...new Set(said)].join('\n\n')
}

/** The objects of a list that has to be one, with their pointers; what is none is a fault. */
export function entriesOf(
  list: unknown,
  pointer: string,
  faults: VexFault[],
): { entry: JsonObject; pointer: string }[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) throw new VexError(`The value at ${pointer} is not a list.`, pointer)
  return list.flatMap((entry: unknown, index) => {
    const place = `${pointer}/${index}`
    if (isObject(entry)) return { entry, pointer: place }
    faults.push({ pointer: place, detail: 'is no object' })
    return []
  })
}

export function textsIn(list: unknown): string[] {
  const items: unknown[] = Array.isArray(list) ? list : []
  return items.filter(isText).filter((text) => text !== '')
}

/** CVE ids are written in capitals; other ids as they are. */
export function vulnerabilityId(text: string): string {
  const trimmed = text.trim()
  return /^cve-\d/i.test(trimmed) ? trimmed.toUpperCase() : trimmed
}

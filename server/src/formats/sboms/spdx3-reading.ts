/** Shared by the readers of SPDX 3 elements. */
import type { ComponentFact } from '../sbom-profiles/stated-facts.ts'
import type { Draft, IdSpace } from './draft.ts'
import { isObject, isText, readText, type JsonObject } from './json-values.ts'

export interface Spdx3Reading {
  draft: Draft
  global: IdSpace
  /** Blank nodes (`_:x`) have a meaning only in their own document. */
  local: IdSpace
  expand: (id: string) => string
  /** Elements that others use for a name or text: agents, licences, identifiers. */
  byId: Map<string, JsonObject>
  collections: JsonObject[]
  /** What files state of the packages that they are the distribution of, by element. */
  fileFacts: Map<number, ComponentFact[]>
}

export function readElementId(element: JsonObject, { expand }: Spdx3Reading): string | undefined {
  const id = readText(element['spdxId']) ?? readText(element['@id'])
  return id === undefined ? undefined : expand(id)
}

/** The id that a property refers to; the element may also be inline. */
export function readReference(value: unknown, reading: Spdx3Reading): string | undefined {
  if (isText(value)) return reading.expand(value)
  return isObject(value) ? readElementId(value, reading) : undefined
}

export function chooseIdSpace(id: string, { global, local }: Spdx3Reading): IdSpace {
  return id.startsWith('_:') ? local : global
}

/** JSON-LD may write a list of one entry as the entry. */
export function readList(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

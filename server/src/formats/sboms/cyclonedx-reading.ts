/** Shared by the CycloneDX readers: the draft, the rules of the version, the names of places. */
import type { CheckContext } from './cyclonedx-checks.ts'
import type { Draft, IdSpace } from './draft.ts'

/** How places are named: JSON pointers, or the path of XML elements. */
export interface Places {
  isXml: boolean
  list: (parent: string, name: string) => string
  entry: (list: string, index: number) => string
}

export const JSON_PLACES: Places = {
  isXml: false,
  list: (parent, name) => `${parent}/${name}`,
  entry: (list, index) => `${list}/${index}`,
}

const ITEM_NAMES: Record<string, string> = {
  components: 'component',
  dependencies: 'dependency',
  services: 'service',
  citations: 'citation',
}

export const XML_PLACES: Places = {
  isXml: true,
  list: (parent, name) => `${parent}/${name}/${ITEM_NAMES[name] ?? name}`,
  entry: (list, index) => `${list}[${index + 1}]`,
}

export interface CycloneDxReading {
  draft: Draft
  space: IdSpace
  context: CheckContext
  places: Places
}

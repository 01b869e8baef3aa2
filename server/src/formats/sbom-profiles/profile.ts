/** What a profile is: elements that a document has to state, each with the section that asks for it. */
import type { ComponentFact, DocumentFact } from './stated-facts.ts'

/** The names by which people ask for a profile. */
export const PROFILE_IDS = ['bsi', 'bsi-2.0', 'ntia', 'cisa'] as const
export type ProfileId = (typeof PROFILE_IDS)[number]

/** `required`: always. `ifExists`: where there is such a thing, which no document shows. `optional`: the document may. */
export const ELEMENT_LEVELS = ['required', 'ifExists', 'optional'] as const
export type ElementLevel = (typeof ELEMENT_LEVELS)[number]

/** What states it: each component, the document, or the format that it is in. */
export const ELEMENT_SUBJECTS = ['component', 'document', 'format'] as const

interface ElementBase {
  /** The name within its profile. */
  id: string
  title: string
  section: string
  level: ElementLevel
}

/** Each component has to state one of these facts. */
export interface ComponentElement extends ElementBase {
  of: 'component'
  facts: readonly ComponentFact[]
  /** Whether the profile takes the statement that it is unknown. */
  takesUnknown: boolean
}

/** The document has to state one of these facts, or none of them. */
export interface DocumentElement extends ElementBase {
  of: 'document'
  facts: readonly DocumentFact[]
  isForbidden: boolean
}

/** The formats that the profile takes; without the lowest versions, all that are read. */
export interface FormatElement extends ElementBase {
  of: 'format'
  lowest?: { cycloneDx: string; spdx: string }
}

export type ProfileElement = ComponentElement | DocumentElement | FormatElement

export interface SbomProfile {
  id: ProfileId
  title: string
  /** The document that asks for the elements, with its date. */
  document: string
  url: string
  elements: readonly ProfileElement[]
  /** What the document asks for besides, and no SBOM can show. */
  outside: readonly { title: string; section: string }[]
}

/** Rows: the id → the title, and the facts of which one is enough. */
type Rows<Fact> = Readonly<Record<string, readonly [title: string, ...facts: Fact[]]>>

export function defineComponentElements(
  section: string,
  level: ElementLevel,
  rows: Rows<ComponentFact>,
): ComponentElement[] {
  return Object.entries(rows).map(([id, [title, ...facts]]) => {
    return { id, title, section, level, of: 'component', facts, takesUnknown: false }
  })
}

export function defineDocumentElements(
  section: string,
  level: ElementLevel,
  rows: Rows<DocumentFact>,
): DocumentElement[] {
  return Object.entries(rows).map(([id, [title, ...facts]]) => {
    return { id, title, section, level, of: 'document', facts, isForbidden: false }
  })
}

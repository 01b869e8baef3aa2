/** What a document states, as profiles of SBOMs ask for it: a bit for each fact of each component, so that a large one stays small. */

/** Facts of a component. Profiles name them; the readers of the formats note them. */
const COMPONENT_FACTS = [
  'name',
  'version',
  /** Who made or supplies it, by name. */
  'producer',
  /** An e-mail address or URL of who made it; the supplier is somebody else (BSI TR-03183-2, section 3.2.9). */
  'creatorContact',
  'identifier',
  'hash',
  'sha512',
  /** SHA-512 of the file that is deployed, where the format has a place for that of its own. */
  'deployableHash',
  'sourceHash',
  'licence',
  /** The licence under which it is distributed, marked as such. */
  'concludedLicence',
  /** The licence that its creator gave it, marked as such. */
  'declaredLicence',
  'effectiveLicence',
  /** It takes part in a relationship, at either end. */
  'relationship',
  /** Its own dependencies or parts are listed, if only as none. */
  'dependencies',
  /** The document says whether that list is complete. */
  'completeness',
  'fileName',
  'executable',
  'archive',
  'structured',
  'sourceUri',
  'deployableUri',
  'securityTxt',
] as const
export type ComponentFact = (typeof COMPONENT_FACTS)[number]

/** Facts of the document itself. */
export type DocumentFact =
  /** A person or legal body wrote it, by name or address. */
  | 'author'
  | 'authorContact'
  | 'tool'
  | 'timestamp'
  | 'uri'
  /** The phase of the life of the software in which it was written. */
  | 'generationContext'
  /** It says of at least some of its lists whether they are complete, or what is unknown. */
  | 'knownUnknowns'
  /** It says of at least one fact of a component that it is unknown. */
  | 'unknownFacts'
  | 'vulnerabilities'

const BITS = Object.fromEntries(COMPONENT_FACTS.map((fact, bit) => [fact, 1 << bit])) as Record<
  ComponentFact,
  number
>

/** The bits of these facts together, for loops over all components. */
export function combineBits(facts: readonly ComponentFact[]): number {
  return facts.reduce((bits, fact) => bits | BITS[fact], 0)
}

export interface StatedFacts {
  ofDocument: Set<DocumentFact>
  /** For each component, by its place in the document. */
  stated: number[]
  /** For each component: what the document says is unknown, as SPDX does with NOASSERTION. */
  unknown: number[]
  /** Elements whose dependencies are listed as none, and those of which is said whether the list is complete. */
  listedAsNone: number[]
  completenessOf: number[]
}

export function createStatedFacts(): StatedFacts {
  return { ofDocument: new Set(), stated: [], unknown: [], listedAsNone: [], completenessOf: [] }
}

export function noteFact({ stated }: StatedFacts, node: number, fact: ComponentFact): void {
  noteBits(stated, node, BITS[fact])
}

export function noteUnknown({ unknown }: StatedFacts, node: number, fact: ComponentFact): void {
  noteBits(unknown, node, BITS[fact])
}

/** The places before are filled, so that the list has no holes, which cost time. */
function noteBits(masks: number[], node: number, bits: number): void {
  while (masks.length <= node) masks.push(0)
  masks[node] = (masks[node] ?? 0) | bits
}

/** NOASSERTION says that it is unknown; a text that is there states the fact. */
export function noteText(
  facts: StatedFacts,
  node: number,
  { fact, text }: { fact: ComponentFact; text: string | undefined },
): void {
  if (text === undefined || text === '') return
  if (isUnknownText(text)) noteUnknown(facts, node, fact)
  else noteFact(facts, node, fact)
}

/** SPDX writes NOASSERTION; generators of CycloneDX write that and `unknown` as a name. NONE says that there is none. */
function isUnknownText(text: string): boolean {
  if (text.length !== 'unknown'.length && text.length !== 'NOASSERTION'.length) return false
  return /^(?:NOASSERTION|unknown)$/i.test(text)
}

const ADDRESS = /^\S+@\S+\.\S+$/
const URL_OF_WEB = /^https?:\/\/\S+$/i

/** An e-mail address or a URL. */
export function isContact(text: unknown): boolean {
  return typeof text === 'string' && (ADDRESS.test(text) || URL_OF_WEB.test(text))
}

/** RFC 3986: a scheme, and no space. */
export function isUri(text: unknown): boolean {
  return typeof text === 'string' && /^[a-z][a-z0-9+.-]*:\S+$/i.test(text)
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2})?$/

export function isTimestamp(text: unknown): boolean {
  return typeof text === 'string' && DATE_TIME.test(text) && !Number.isNaN(Date.parse(text))
}

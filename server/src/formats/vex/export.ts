/** The input for writing VEX documents. It holds everything, so that equal verdicts make equal documents. */
import type { JsonObject } from '../sboms/json-values.ts'
import type { VexFormat } from './model.ts'
import type { VexAssessment, VexJustification, VexResponse } from './vocabulary.ts'

export interface ExportedThing {
  /** Unique in the export. */
  ref: string
  name: string
  version: string | undefined
  purl: string
  cpe: string | undefined
  /** The full image that devices install. Its SHA-256 names the product. */
  artifact?: { fileName: string; sha256: string } | undefined
}

/** The statement a verdict follows, as it was received. */
export interface ReceivedStatement {
  format: VexFormat
  original: JsonObject
  /** The members of its document without the entries. */
  envelope: JsonObject
  documentId: string
}

export interface VexVerdict {
  vulnerability: string
  /** The title for people. */
  title: string | undefined
  /** The components it is about; empty: the whole product. */
  components: ExportedThing[]
  assessment: VexAssessment
  justification: VexJustification | undefined
  detail: string | undefined
  responses: VexResponse[]
  statedAt: string
  /** Set while the whole statement applies here; it is then exported unchanged. */
  received: ReceivedStatement | undefined
}

export interface VexPublisher {
  name: string
  /** A URL that belongs to the publisher. */
  namespace: string
  /** CSAF 2.0, section 3.2.1.8.1. */
  category: 'coordinator' | 'discoverer' | 'other' | 'translator' | 'user' | 'vendor'
  contact: string | undefined
}

export interface VexExport {
  /** A UUID made of the content. */
  id: string
  publisher: VexPublisher
  /** The newest of its verdicts. */
  statedAt: string
  tool: { name: string; version: string }
  product: ExportedThing
  /** In a fixed order. */
  verdicts: VexVerdict[]
}

/** Removes equal items, which the standards forbid in lists. */
export function removeEqual<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}

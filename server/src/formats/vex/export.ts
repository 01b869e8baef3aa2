/** What a VEX document is written from. Everything in it is given, so that equal verdicts make equal documents. */
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
}

/** The statement a verdict follows, as it was received. */
export interface ReceivedStatement {
  format: VexFormat
  original: JsonObject
  /** Of the document it stood in. */
  envelope: JsonObject
  documentId: string
}

export interface VexVerdict {
  vulnerability: string
  /** What people call it. */
  title: string | undefined
  /** The components it is about; none: the product whole. */
  components: ExportedThing[]
  assessment: VexAssessment
  justification: VexJustification | undefined
  detail: string | undefined
  responses: VexResponse[]
  statedAt: string
  /** Set while all the statement says here is in force; it is then kept whole. */
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

/** The standards want no two equal items in their lists. */
export function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}

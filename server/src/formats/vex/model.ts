/** The model of VEX documents of every standard. */
import type { JsonObject } from '../sboms/json-values.ts'
import type { VexAssessment, VexJustification, VexResponse } from './vocabulary.ts'

/** `Spdx3` occurs only inside SBOMs; so does `Build`, what builds say about patches in words of their own. */
export const VEX_FORMATS = ['OpenVex', 'CycloneDx', 'Csaf', 'Spdx3', 'Build'] as const
export type VexFormat = (typeof VEX_FORMATS)[number]

/** How a statement names a product or a part of one. */
export interface VexThing {
  /** IRI, bom-ref, BOM-Link, CSAF product id or SPDX id. */
  ref?: string
  purls: string[]
  cpes: string[]
  name?: string
  version?: string
  /** Checksums of it, as `formatHashName` writes them. Absent where there are none. */
  hashes?: string[]
  /** Versions or `vers:` ranges that limit the statement; empty: all versions. */
  versions: string[]
}

export interface VexProduct extends VexThing {
  /** A reference that is valid only inside the document. */
  localRef?: string
  /** The firmware version the document was imported for, whatever the product is called: whoever imported it said so. */
  isVersion?: true
  /** The parts of the product that the statement is about; empty: the whole product. */
  subcomponents: VexThing[]
}

export interface VexStatement {
  /** JSON pointer of the source. */
  pointer: string
  /** Position of the source in `VexDocument.entries`. */
  entry: number
  vulnerability: string
  aliases: string[]
  products: VexProduct[]
  assessment: VexAssessment
  justification: VexJustification | undefined
  detail: string | undefined
  responses: VexResponse[]
  /** When it was made, ISO 8601 in UTC; undefined where the document does not say. */
  statedAt: string | undefined
}

export interface VexFault {
  pointer: string
  detail: string
}

export interface VexDocument {
  format: VexFormat
  specVersion: string | undefined
  id: string | undefined
  author: string | undefined
  statedAt: string | undefined
  /** All but the entries. */
  envelope: JsonObject
  /** The sources of the statements, unchanged. */
  entries: JsonObject[]
  statements: VexStatement[]
  /** Entries, or parts of them, that cannot be used. */
  faults: VexFault[]
}

/** The text is not a VEX document; the message is for its author. */
export class VexError extends Error {
  override readonly name = 'VexError'
  readonly pointer: string

  constructor(message: string, pointer = '') {
    super(message)
    this.pointer = pointer
  }
}

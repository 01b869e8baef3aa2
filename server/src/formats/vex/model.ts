/** What every VEX document is read into, whatever its standard. */
import type { JsonObject } from '../sboms/json-values.ts'
import type { VexAssessment, VexJustification, VexResponse } from './vocabulary.ts'

/** `Spdx3` stands inside SBOMs only. */
export const VEX_FORMATS = ['OpenVex', 'CycloneDx', 'Csaf', 'Spdx3'] as const
export type VexFormat = (typeof VEX_FORMATS)[number]

/** What a statement calls a product or a part of one. */
export interface VexThing {
  /** IRI, bom-ref, BOM-Link, CSAF product id or SPDX id. */
  ref?: string
  purls: string[]
  cpes: string[]
  name?: string
  version?: string
  /** Versions or `vers:` ranges the statement is limited to; none: all there are. */
  versions: string[]
}

export interface VexProduct extends VexThing {
  /** How the document refers to it, where that means something inside the document alone. */
  localRef?: string
  /** The statement is about these in the product; none: about the product whole. */
  subcomponents: VexThing[]
}

export interface VexStatement {
  /** JSON pointer of what it was read from. */
  pointer: string
  /** Position in `VexDocument.entries` of what it was read from. */
  entry: number
  vulnerability: string
  aliases: string[]
  products: VexProduct[]
  assessment: VexAssessment
  justification: VexJustification | undefined
  detail: string | undefined
  responses: VexResponse[]
  /** When it was made, ISO 8601 in UTC; undefined where nothing says so. */
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
  /** What the statements were read from, untouched. */
  entries: JsonObject[]
  statements: VexStatement[]
  /** Entries, or parts of them, that say nothing that can be used. */
  faults: VexFault[]
}

/** The text is no VEX document; the message is for whoever wrote it. */
export class VexError extends Error {
  override readonly name = 'VexError'
  readonly pointer: string

  constructor(message: string, pointer = '') {
    super(message)
    this.pointer = pointer
  }
}

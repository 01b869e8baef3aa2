/** Kinds of documents at standing addresses, in words. */
import type { StandingDocument } from '@plimsoll/api-client'

export const DOCUMENT_WORDS: Readonly<Record<StandingDocument, string>> = {
  Vex: 'VEX',
  Sbom: 'SBOM',
  Support: 'end of support',
}

export const nameDocuments = (documents: readonly StandingDocument[]) =>
  documents.map((kind) => DOCUMENT_WORDS[kind]).join(', ')

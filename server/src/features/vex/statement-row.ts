import type { JsonObject } from '../../formats/sboms/json-values.ts'
import type { VexStatement } from '../../formats/vex/model.ts'
import { contentId } from './content-id.ts'
import type { StatementRow } from './statement-store.ts'

export interface StatementOfDocument {
  documentId: string
  statement: VexStatement
  original: JsonObject
  receivedAt: Date
}

/** Its id is made of what it says, so that the same statement received again is the same. */
export function statementRow(
  { documentId, statement, original, receivedAt }: StatementOfDocument,
  inSbom?: { nodes: number[]; isWhole: boolean },
): StatementRow {
  const { pointer, entry: _, statedAt, ...said } = statement
  return {
    ...said,
    id: contentId(documentId, original, said, statedAt ?? null),
    pointer,
    nodes: inSbom?.nodes ?? null,
    isWhole: inSbom?.isWhole ?? false,
    justification: said.justification ?? null,
    detail: said.detail ?? null,
    statedAt: statedAt ?? receivedAt.toISOString(),
    original,
  }
}

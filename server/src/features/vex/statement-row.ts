import type { JsonObject } from '../../formats/sboms/json-values.ts'
import type { VexStatement } from '../../formats/vex/model.ts'
import { contentId } from './content-id.ts'
import type { StatementRow } from './statement-store.ts'

export interface StatementOfDocument {
  documentId: string
  statement: VexStatement
  original: JsonObject
  receivedAt: Date
  /** When it counts as made where nothing says so, if not when it was received. */
  elseStatedAt?: Date
}

/**
 * Its id is made of what it says, so that the same statement received again is the same. It was made when it was
 * received at the latest: one from the future would go before all that people decide until then.
 */
export function statementRow(
  { documentId, statement, original, receivedAt, elseStatedAt = receivedAt }: StatementOfDocument,
  inSbom?: { nodes: number[]; isWhole: boolean },
): StatementRow {
  const { pointer, entry: _, statedAt, ...said } = statement
  const received = receivedAt.toISOString()
  const at = statedAt ?? elseStatedAt.toISOString()
  return {
    ...said,
    id: contentId(documentId, original, said, statedAt ?? null),
    pointer,
    nodes: inSbom?.nodes ?? null,
    isWhole: inSbom?.isWhole ?? false,
    justification: said.justification ?? null,
    detail: said.detail ?? null,
    statedAt: at > received ? received : at,
    original,
  }
}

import { deriveUuid } from '../../formats/content-uuid.ts'
import type { JsonObject } from '../../formats/sboms/json-values.ts'
import type { VexStatement } from '../../formats/vex/model.ts'
import type { StatementRow } from './store.ts'

export interface StatementOfDocument {
  documentId: string
  statement: VexStatement
  original: JsonObject
  receivedAt: Date
  /** The time of a statement that states none; the time of receipt if left out. */
  defaultStatedAt?: Date
}

/**
 * Its id is derived from its content, so that the same statement received again has the same id. A time in the future
 * becomes the time of receipt: otherwise the statement would outweigh all decisions people make until then.
 */
export function createStatementRow(
  {
    documentId,
    statement,
    original,
    receivedAt,
    defaultStatedAt = receivedAt,
  }: StatementOfDocument,
  inSbom?: { nodes: number[]; isWhole: boolean },
  origin: StatementRow['origin'] = 'Document',
): StatementRow {
  const { pointer, entry: _, statedAt, ...content } = statement
  const received = receivedAt.toISOString()
  const at = statedAt ?? defaultStatedAt.toISOString()
  return {
    ...content,
    id: deriveId(documentId, original, content, statedAt ?? null),
    pointer,
    nodes: inSbom?.nodes ?? null,
    isWhole: inSbom?.isWhole ?? false,
    justification: content.justification ?? null,
    detail: content.detail ?? null,
    statedAt: at > received ? received : at,
    origin,
    original,
  }
}

/** An id derived from these parts: equal parts have equal ids. */
export function deriveId(...parts: readonly unknown[]): string {
  return deriveUuid(JSON.stringify(parts))
}

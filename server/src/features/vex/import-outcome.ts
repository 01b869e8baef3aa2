/** What an import answers: what became of each statement, and why. */
import { encodeFindingId } from '../../formats/finding-id.ts'
import type { StatedFinding } from './decisions/store.ts'
import type { StatementRow } from './store.ts'

export interface UnmatchedStatement {
  pointer: string
  vulnerability: string | null
  product: string | null
  reason: string
  isKept: boolean
}

interface ImportedDocument {
  /** The findings that statements of the document decide, or would. */
  findings: readonly StatedFinding[]
  rows: readonly StatementRow[]
  unmatched: readonly UnmatchedStatement[]
  /** Ids of statements that are about some finding of today. */
  targeted: ReadonlySet<string>
}

export function describeImport({ findings, rows, unmatched, targeted }: ImportedDocument) {
  const having = (outcome: StatedFinding['outcome']) =>
    findings.filter((finding) => finding.outcome === outcome)
  const idsOf = (outcome: StatedFinding['outcome']) =>
    new Set(having(outcome).map(({ statementId }) => statementId))
  const [disagreeing, applied, same] = [idsOf('Conflict'), idsOf('Change'), idsOf('Same')]
  const waiting = rows.filter(({ id }) => ![disagreeing, applied, same].some((ids) => ids.has(id)))
  const stored = new Set(rows.map(({ pointer }) => pointer))
  const notUnderstood = new Set(
    unmatched
      .map(({ pointer }) => cutToStatement(pointer))
      .filter((pointer) => !stored.has(pointer)),
  )
  const isOnly = (ids: ReadonlySet<string>, ...stronger: ReadonlySet<string>[]) =>
    [...ids].filter((id) => !stronger.some((others) => others.has(id))).length
  return {
    statementCount: rows.length,
    counts: {
      applied: isOnly(applied, disagreeing),
      unchanged: isOnly(same, disagreeing, applied),
      waiting: waiting.length,
      disagreeing: disagreeing.size,
      notUnderstood: notUnderstood.size,
    },
    changes: having('Change').map(shownFinding),
    conflicts: having('Conflict').map(shownFinding),
    unchangedCount: having('Same').length,
    waiting: waiting.map(({ id, pointer, vulnerability }) => ({
      pointer,
      vulnerability,
      reason: targeted.has(id) ? OUTRANKED : NO_FINDING,
    })),
  }
}

const OUTRANKED = 'A newer statement, or one of higher rank, decides its findings.'
const NO_FINDING =
  'What it names has no finding of this vulnerability today. It applies when one begins.'

/** `/statements/3` of `/statements/3/products/0`. */
function cutToStatement(pointer: string): string {
  return pointer.split('/').slice(0, 3).join('/')
}

function shownFinding(row: StatedFinding) {
  const { assessment, justification, detail, responses, statedAt, pointer } = row
  return {
    findingId: encodeFindingId(row),
    cveId: row.vulnerabilityId,
    componentName: row.componentName,
    componentVersion: row.componentVersion,
    pointer,
    from: {
      assessment: row.oldAssessment ?? 'NotAssessed',
      justification: row.oldJustification,
      detail: row.oldDetail,
      responses: row.oldResponses ?? [],
      source: row.oldAssessedAt && row.oldSource,
      decidedByEmail: row.oldByEmail,
      decidedAt: row.oldAssessedAt,
    },
    to: { assessment, justification, detail, responses, statedAt },
  }
}

/** What stops clocks: dismissing, closing and correcting. And reopening. */
import { parseInstant, parsePastInstant } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { act, type ActOnCase, refuse, requireNotEnded, requireOpen } from './acts-service.ts'
import { type FactKind, listHolding } from './case-facts.ts'
import { STAGE_WORDS } from './stage-words.ts'
import { describe } from './service.ts'

export function dismissCase(ctx: AppContext, input: ActOnCase & { reason: string }) {
  return act(ctx, input, ({ standing }) => {
    requireNotEnded(standing)
    return { kind: 'Dismissed', action: 'case.dismiss', text: input.reason }
  })
}

/** Users come first: their clock blocks closing. Reports that are not submitted need a reason. */
export function closeCase(ctx: AppContext, input: ActOnCase & { reason?: string | null }) {
  const { reason = null } = input
  return act(ctx, input, ({ row, facts, standing }) => {
    requireOpen(standing)
    const open = describe(ctx, row, facts).clocks.filter(({ doneAt }) => doneAt === null)
    if (open.some(({ stage }) => stage === 'UsersInformed'))
      throw refuse('case-not-done', 'Nobody has recorded that users were informed, or why not.')
    if (open.length > 0 && reason === null)
      throw refuse(
        'case-not-done',
        `Not submitted: ${open.map(({ stage }) => STAGE_WORDS[stage]).join(', ')}. Close it with a reason.`,
      )
    return { kind: 'Closed', action: 'case.close', text: reason }
  })
}

export function reopenCase(ctx: AppContext, input: ActOnCase & { reason: string }) {
  return act(ctx, input, ({ standing }) => {
    if (standing.state !== 'Closed' && standing.state !== 'Dismissed')
      throw refuse('case-not-ended', 'The case is neither closed nor dismissed.')
    return { kind: 'Reopened', action: 'case.reopen', text: input.reason }
  })
}

const CORRECTABLE: ReadonlySet<FactKind> = new Set([
  'Awareness',
  'MeasureAvailable',
  'ReportRequest',
  'Report',
  'ReportInvalidated',
  'UsersInformed',
  'UsersNotInformed',
])

interface Correction extends ActOnCase {
  factId: string
  /** null: the fact holds no more. */
  instant: string | null
  isEstimate?: boolean
  reason: string
}

/** Names what it corrects and says why; what was recorded before stays. */
export function correctFact(ctx: AppContext, input: Correction) {
  const { factId, reason, isEstimate = false } = input
  return act(ctx, input, ({ facts, standing }) => {
    requireNotEnded(standing)
    const fact = isUuid(factId) ? facts.find(({ id }) => id === factId) : undefined
    if (!fact) throw notFound('fact', factId)
    if (!CORRECTABLE.has(fact.kind) || !listHolding(facts).includes(fact))
      throw refuse('not-correctable', 'The fact states no instant, or holds no more.')
    const { kind } = fact
    const now = ctx.now()
    const correction = { kind, action: 'case.correct' as const, correctsId: fact.id, isEstimate }
    const detail = { ...fact.detail, reason }
    if (input.instant === null) return { ...correction, detail: { ...detail, isWithdrawn: true } }
    const instant =
      kind === 'ReportRequest'
        ? parseInstant(input.instant, '/instant')
        : parsePastInstant(input.instant, now, '/instant')
    // What was written stays as it was, such as the exact text of a report.
    return { ...correction, instant, text: fact.text, detail }
  })
}

/** What people state about a case. Each act is one fact and one entry of the audit log, in one transaction. */
import { parseInstant, parsePastInstant } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import type * as caseFacts from './case-facts.ts'
import { type CaseStanding, type HeldFact, readStanding } from './case-facts.ts'
import { recordFact, type StatedFact } from './facts-service.ts'
import { findRow, getCase } from './service.ts'
import * as store from './store.ts'

export interface ActOnCase {
  workspaceId: string
  caseId: string
  actor: Actor
}

interface OpenedCase {
  tx: Tx
  row: store.CaseRow
  facts: caseFacts.CaseFact[]
  standing: CaseStanding
}

interface Act extends Omit<StatedFact, 'workspaceId' | 'caseId' | 'actor'> {
  action: AuditAction
}

type Decide = (opened: OpenedCase) => Act | undefined | Promise<Act | undefined>

/** As `recordAct`; answers the case as it is afterwards. */
export async function act(ctx: AppContext, input: ActOnCase, decide: Decide) {
  await recordAct(ctx, input, decide)
  return getCase(ctx, ctx.db, input)
}

/** Locks the case, has the act decided by what holds then, and records it. undefined: it is recorded already. */
export async function recordAct(
  ctx: AppContext,
  { workspaceId, caseId, actor }: ActOnCase,
  decide: Decide,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    // Before the case: whoever makes cases changes them, too.
    await store.lockCases(tx, workspaceId)
    const { id } = await findRow(tx, { workspaceId, caseId })
    await store.lockCase(tx, workspaceId, id)
    const row = await findRow(tx, { workspaceId, caseId })
    const facts = await store.listFacts(tx, workspaceId, { caseIds: [id], hasTexts: true })
    const decided = await decide({ tx, row, facts, standing: readStanding(facts) })
    if (!decided) return
    const { action, ...fact } = decided
    await recordFact(ctx, tx, { workspaceId, caseId: id, actor, ...fact })
    const { instant, isEstimate, text, detail = {} } = fact
    // They are long, and the fact has them.
    const { fields: _fields, ...told } = detail
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action,
      resourceType: 'case',
      resourceId: id,
      after: {
        name: row.title,
        cveId: row.vulnerabilityId,
        ...told,
        ...(instant && { instant: instant.toISOString() }),
        ...(isEstimate === true && { isEstimate }),
        ...(text !== undefined && !TEXTS_KEPT_IN_FACTS.has(fact.kind) && { text }),
      },
    })
  })
}

const TEXTS_KEPT_IN_FACTS: ReadonlySet<caseFacts.FactKind> = new Set(['Report', 'Field'])

export const refuse = (code: string, detail: string) => new AppError('conflict', code, detail)

export function requireNotEnded({ state }: CaseStanding): void {
  if (state === 'Closed' || state === 'Dismissed')
    throw refuse('case-ended', `The case is ${state.toLowerCase()}.`)
}

export function requireOpen(standing: CaseStanding): void {
  requireNotEnded(standing)
  if (standing.state !== 'Open')
    throw refuse('case-not-open', 'Nobody has set the instant of awareness.')
}

export const tellWho = ({ byEmail, byType, recordedAt }: HeldFact) =>
  `${byEmail ?? byType} recorded it on ${recordedAt.toISOString()}`

/** Each is stated once, and then corrected. */
export function refuseSecond(known: HeldFact | undefined, what: string): void {
  if (known)
    throw refuse(
      'fact-recorded',
      `${what} is ${known.instant?.toISOString() ?? 'there'}: ${tellWho(known)}.`,
    )
}

export function answerQuestion(
  ctx: AppContext,
  input: ActOnCase & {
    question: caseFacts.Question
    answer: caseFacts.Answer
    reason?: string | null
  },
) {
  const { question, answer, reason = null } = input
  return act(ctx, input, ({ standing }) => {
    requireNotEnded(standing)
    const detail = { question, answer }
    return { kind: 'Answer', action: 'case.answer', text: reason, detail }
  })
}

interface Stated extends ActOnCase {
  reason?: string | null
}

export function setAwareness(
  ctx: AppContext,
  input: Stated & { awareAt: string; isEstimate?: boolean },
) {
  const { awareAt, isEstimate = false, reason = null } = input
  const instant = parsePastInstant(awareAt, ctx.now(), '/awareAt')
  return act(ctx, input, ({ standing }) => {
    requireNotEnded(standing)
    refuseSecond(standing.awareness, 'The instant of awareness')
    return { kind: 'Awareness', action: 'case.set-awareness', instant, isEstimate, text: reason }
  })
}

export function watchCase(ctx: AppContext, input: Stated & { nextLookAt: string }) {
  const { nextLookAt, reason = null } = input
  const instant = parseInstant(nextLookAt, '/nextLookAt')
  if (instant <= ctx.now()) throw invalid('nextLookAt is in the past.', '/nextLookAt')
  return act(ctx, input, ({ standing }) => {
    requireNotEnded(standing)
    if (standing.state === 'Open')
      throw refuse('case-is-open', 'A case whose clocks run is not only watched.')
    return { kind: 'Watch', action: 'case.watch', instant, text: reason }
  })
}

interface Measure extends ActOnCase {
  availableAt: string
  measure: (typeof caseFacts.MEASURE_KINDS)[number]
  detail?: string | null
}

export function setMeasure(ctx: AppContext, input: Measure) {
  const { availableAt, measure, detail: text = null } = input
  const instant = parsePastInstant(availableAt, ctx.now(), '/availableAt')
  return act(ctx, input, ({ standing }) => {
    requireNotEnded(standing)
    refuseSecond(standing.measure, 'The instant of the measure')
    return {
      kind: 'MeasureAvailable',
      action: 'case.set-measure',
      instant,
      text,
      detail: { measure },
    }
  })
}

export function requestReport(ctx: AppContext, input: ActOnCase & { dueAt: string; text: string }) {
  const { dueAt, text } = input
  const instant = parseInstant(dueAt, '/dueAt')
  return act(ctx, input, ({ standing }) => {
    requireOpen(standing)
    return { kind: 'ReportRequest', action: 'case.request-report', instant, text }
  })
}

/** What people do with a report from outside. Each act is one event and one entry of the audit log, in one transaction. */
import { parseInstant, parsePastInstant } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { beginCase, recordSignal } from '../cases/index.ts'
import { readPolicy } from './policy-service.ts'
import { findRow, getReport } from './service.ts'
import {
  type Dismissal,
  type EventDetail,
  type EventKind,
  isOpen,
  readStanding,
  type ReportStanding,
} from './standing.ts'
import * as store from './store.ts'

export interface ActOnReport {
  workspaceId: string
  reportId: string
  actor: Actor
}

interface Act {
  kind: EventKind
  action: AuditAction
  text?: string | null
  instant?: Date | null
  detail?: EventDetail
  /** What the audit log has besides. */
  told?: Record<string, unknown>
}

interface OpenedReport {
  tx: Tx
  row: store.ReportRow
  standing: ReportStanding
}

/** Locks the report, has the act decided by what holds then, and records it. */
async function act(
  ctx: AppContext,
  { workspaceId, reportId, actor }: ActOnReport,
  decide: (opened: OpenedReport) => Act | Promise<Act>,
) {
  await ctx.db.transaction().execute(async (tx) => {
    const row = await findRow(tx, { workspaceId, reportId })
    await store.lockReport(tx, workspaceId, row.id)
    const events = await store.listEvents(tx, workspaceId, { reportIds: [row.id], hasTexts: false })
    const times = await readPolicy(tx, workspaceId)
    const standing = readStanding(row, events, { times, now: ctx.now() })
    const {
      kind,
      action,
      text = null,
      instant = null,
      detail = {},
      told = {},
    } = await decide({
      tx,
      row,
      standing,
    })
    const by = { byType: actor.type, byId: actor.id ?? null, byEmail: actor.email ?? null }
    const event = { kind, text, instant, detail, recordedAt: ctx.now(), ...by }
    await store.insertEvent(tx, { workspaceId, id: newId(), reportId: row.id, ...event })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action,
      resourceType: 'disclosure-report',
      resourceId: row.id,
      after: {
        name: row.title,
        ...detail,
        ...told,
        ...(instant && { instant: instant.toISOString() }),
        // Answers and notes are long, and the event has them.
        ...(kind !== 'Answer' && kind !== 'Note' && text !== null && { text }),
      },
    })
  })
  return getReport(ctx, ctx.db, { workspaceId, reportId })
}

const refuse = (code: string, detail: string) => new AppError('conflict', code, detail)

function requireOpen(standing: ReportStanding): void {
  if (!isOpen(standing))
    throw refuse('report-ended', `The report is ${standing.state.toLowerCase()}.`)
}

/** Whoever reported reads it on the page of the link, also when the report has ended. */
export const answerReport = (ctx: AppContext, input: ActOnReport & { text: string }) =>
  act(ctx, input, () => ({
    kind: 'Answer',
    action: 'disclosure-report.answer',
    text: input.text,
  }))

/** For the team alone. */
export const noteOnReport = (ctx: AppContext, input: ActOnReport & { text: string }) =>
  act(ctx, input, () => ({ kind: 'Note', action: 'disclosure-report.note', text: input.text }))

/** The first hint of a case may be older than the case. */
const tellSignal = ({ title }: store.ReportRow) => `Reported from outside: ${title}`

export function joinCase(ctx: AppContext, input: ActOnReport & { caseId: string }) {
  const { workspaceId, caseId, actor } = input
  return act(ctx, input, async ({ tx, row, standing }) => {
    requireOpen(standing)
    if (standing.caseId === caseId)
      throw refuse('report-in-case', 'The report has joined this case before.')
    const of = { workspaceId, caseId, actor }
    const hint = { instant: row.receivedAt, text: tellSignal(row) }
    const title = await recordSignal(ctx, tx, { ...of, ...hint })
    return {
      kind: 'Joined',
      action: 'disclosure-report.join',
      detail: { caseId },
      told: { caseTitle: title },
    }
  })
}

export interface ProposeCase extends ActOnReport {
  title: string
  cveId?: string | null
  productLineIds?: string[]
  firmwareVersionIds?: string[]
}

/** No clock of the law starts. Its first hint is when the report was received. */
export function proposeCase(ctx: AppContext, input: ProposeCase) {
  const { workspaceId, actor, title, cveId = null, productLineIds, firmwareVersionIds = [] } = input
  return act(ctx, input, async ({ tx, row, standing }) => {
    requireOpen(standing)
    const caseId = await beginCase(ctx, tx, {
      workspaceId,
      actor,
      type: 'Vulnerability',
      title,
      cveId,
      productLineIds: productLineIds ?? [],
      firmwareVersionIds,
      reason: tellSignal(row),
      origin: 'Report',
      signalAt: row.receivedAt,
    })
    return {
      kind: 'Joined',
      action: 'disclosure-report.propose',
      detail: { caseId },
      told: { caseTitle: title },
    }
  })
}

export interface DismissReport extends ActOnReport {
  as: Dismissal
  reason: string
  duplicateOfId?: string | null
}

/** Whoever reported sees that it was closed, and not the reason. */
export function dismissReport(ctx: AppContext, input: DismissReport) {
  const { workspaceId, reportId, as, reason, duplicateOfId = null } = input
  return act(ctx, input, async ({ tx, standing }) => {
    requireOpen(standing)
    if (duplicateOfId !== null) {
      if (as !== 'Duplicate')
        throw invalid('Only a duplicate names another report.', '/duplicateOfId')
      if (duplicateOfId === reportId)
        throw invalid('A report is no duplicate of itself.', '/duplicateOfId')
      await findRow(tx, { workspaceId, reportId: duplicateOfId })
    }
    return {
      kind: 'Dismissed',
      action: 'disclosure-report.dismiss',
      text: reason,
      detail: { as, ...(duplicateOfId !== null && { duplicateOfId }) },
    }
  })
}

export const reopenReport = (ctx: AppContext, input: ActOnReport & { reason: string }) =>
  act(ctx, input, ({ standing }) => {
    if (isOpen(standing)) throw refuse('report-not-ended', 'The report has not ended.')
    return { kind: 'Reopened', action: 'disclosure-report.reopen', text: input.reason }
  })

/** null: the days of the policy count again. */
export function setEmbargo(
  ctx: AppContext,
  input: ActOnReport & { until: string | null; reason: string },
) {
  const instant = input.until === null ? null : parseInstant(input.until, '/until')
  return act(ctx, input, ({ standing }) => {
    requireOpen(standing)
    return { kind: 'Embargo', action: 'disclosure-report.embargo', instant, text: input.reason }
  })
}

/** null: nobody is to be named. */
export const setCredit = (ctx: AppContext, input: ActOnReport & { credit: string | null }) =>
  act(ctx, input, () => ({
    kind: 'Credit',
    action: 'disclosure-report.credit',
    text: input.credit,
  }))

/** Whoever reported may ask for it (Article 17 of Regulation (EU) 2016/679). The report stays as it was sent. */
export function eraseContact(ctx: AppContext, input: ActOnReport & { reason: string }) {
  const { workspaceId, reason } = input
  return act(ctx, input, async ({ tx, row }) => {
    if (!(await store.eraseContact(tx, workspaceId, row.id)))
      throw refuse('report-without-contact', 'The report has no contact.')
    return { kind: 'ContactErased', action: 'disclosure-report.erase-contact', text: reason }
  })
}

export function recordDisclosure(
  ctx: AppContext,
  input: ActOnReport & { disclosedAt: string; text?: string | null },
) {
  const instant = parsePastInstant(input.disclosedAt, ctx.now(), '/disclosedAt')
  return act(ctx, input, ({ standing }) => {
    requireOpen(standing)
    const text = input.text ?? null
    return { kind: 'Disclosed', action: 'disclosure-report.disclose', instant, text }
  })
}

/** The public side: takes reports of whoever has found something, and shows them what became of theirs. */
import { createHash, randomBytes } from 'node:crypto'
import { addDays } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { listLines } from '../product-lines/index.ts'
import { findPolicy, type PolicyRow } from './policy-store.ts'
import { MOST_REPORTS } from './service.ts'
import { readStanding, type ReportEvent, type ReportStanding } from './standing.ts'
import * as store from './store.ts'
import type { Submission } from './submission.ts'

const REPORTER: Actor = { type: 'System', id: undefined, email: undefined, requestId: undefined }
/** Of one report, so that it stays bounded. */
const MOST_ADDITIONS = 100
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Made for each form: a form that is sent twice is one report. */
export const createToken = () => randomBytes(32).toString('base64url')
const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

export interface OpenPolicy extends PolicyRow {
  lines: { id: string; name: string }[]
}

/** One answer for workspaces that do not exist, and for those that take no reports. */
export async function requireOpenPolicy(
  { db }: Pick<AppContext, 'db'>,
  workspaceId: string,
): Promise<OpenPolicy> {
  const policy = isUuid(workspaceId) ? await findPolicy(db, workspaceId) : undefined
  if (policy?.isPublic !== true) throw notFound('disclosure policy', workspaceId)
  const lines = policy.showsProductLines ? await listLines(db, workspaceId) : []
  return { ...policy, lines: lines.map(({ id, name }) => ({ id, name })) }
}

export type IntakeOutcome =
  | { outcome: 'Taken'; token: string }
  | { outcome: 'Full' | 'FullToday' | 'TokenUsed' }

/** A token that is none gets a new one: whoever sends a form without a browser is taken, too. */
export async function takeReport(
  ctx: AppContext,
  { workspaceId, policy }: { workspaceId: string; policy: OpenPolicy },
  { token: given, ...submission }: Submission & { token: string },
): Promise<IntakeOutcome> {
  const token = TOKEN.test(given) ? given : createToken()
  const tokenHash = hashToken(token)
  const { title, text } = submission
  const line = policy.lines.find(({ id }) => id === submission.productLineId)
  return ctx.db.transaction().execute(async (tx): Promise<IntakeOutcome> => {
    await store.lockIntake(tx, workspaceId)
    const known = await store.findReportOfToken(tx, workspaceId, tokenHash)
    if (known)
      return known.text === text && known.title === title
        ? { outcome: 'Taken', token }
        : { outcome: 'TokenUsed' }
    const now = ctx.now()
    const { all, recent } = await store.countReports(tx, workspaceId, addDays(now, -1))
    if (all >= MOST_REPORTS) return { outcome: 'Full' }
    if (recent >= policy.mostPerDay) return { outcome: 'FullToday' }
    await keepReport(ctx, tx, { workspaceId, tokenHash, submission, line })
    return { outcome: 'Taken', token }
  })
}

interface KeptReport {
  workspaceId: string
  tokenHash: string
  submission: Submission
  line: { id: string; name: string } | undefined
}

async function keepReport(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, tokenHash, submission, line }: KeptReport,
): Promise<void> {
  const { title, text, contact, credit } = submission
  const id = newId()
  await store.insertReport(tx, {
    workspaceId,
    id,
    tokenHash,
    productLineId: line?.id ?? null,
    productLineName: line?.name ?? null,
    title,
    text,
    contact: contact === '' ? null : contact,
    credit: credit === '' ? null : credit,
    receivedAt: ctx.now(),
  })
  await recordAudit(ctx, tx, {
    workspaceId,
    actor: REPORTER,
    action: 'disclosure-report.receive',
    resourceType: 'disclosure-report',
    resourceId: id,
    after: { name: title, productLine: line?.name ?? null },
  })
}

/** What whoever reported may see: what they wrote, answers, and the state. Nothing of notes, cases, people and reasons. */
export interface ReporterView {
  workspaceName: string
  title: string
  productLineName: string | null
  receivedAt: Date
  standing: Pick<ReportStanding, 'state' | 'dismissal' | 'disclosedAt' | 'credit' | 'clocks'>
  texts: { at: Date; isByReporter: boolean; text: string }[]
  mayAdd: boolean
}

interface OfToken {
  workspaceId: string
  token: string
}

async function openLink({ db }: Pick<AppContext, 'db'>, { workspaceId, token }: OfToken) {
  const policy = isUuid(workspaceId) ? await findPolicy(db, workspaceId) : undefined
  const row =
    policy && TOKEN.test(token)
      ? await store.findReportOfToken(db, workspaceId, hashToken(token))
      : undefined
  if (!policy || !row) throw notFound('disclosure report', '')
  const events = await store.listEvents(db, workspaceId, { reportIds: [row.id], hasTexts: true })
  return { policy, row, events }
}

/** Also where the workspace takes no more reports. */
export async function readReporterView(
  ctx: Pick<AppContext, 'db' | 'now'>,
  of: OfToken,
): Promise<ReporterView> {
  const { policy, row, events } = await openLink(ctx, of)
  const { title, text, productLineName, receivedAt } = row
  const standing = readStanding(row, events, { times: policy, now: ctx.now() })
  return {
    workspaceName: policy.workspaceName,
    title,
    productLineName,
    receivedAt,
    standing,
    texts: [{ at: receivedAt, isByReporter: true, text }, ...events.flatMap(readTold)],
    mayAdd: countAdditions(events) < MOST_ADDITIONS,
  }
}

const readTold = ({ kind, recordedAt: at, text }: ReportEvent) =>
  kind === 'Answer' || kind === 'Addition'
    ? [{ at, isByReporter: kind === 'Addition', text: text ?? '' }]
    : []

const countAdditions = (events: readonly ReportEvent[]) =>
  events.filter(({ kind }) => kind === 'Addition').length

/** What whoever reported writes later. The same text twice in a row is one: a page that is sent again adds nothing. */
export async function addToReport(
  ctx: AppContext,
  of: OfToken,
  text: string,
): Promise<'Added' | 'TooMany'> {
  const { workspaceId } = of
  return ctx.db.transaction().execute(async (tx) => {
    const { row } = await openLink({ db: tx }, of)
    await store.lockReport(tx, workspaceId, row.id)
    const { events } = await openLink({ db: tx }, of)
    const last = events.findLast(({ kind }) => kind === 'Addition' || kind === 'Answer')
    if (last?.kind === 'Addition' && last.text === text) return 'Added'
    if (countAdditions(events) >= MOST_ADDITIONS) return 'TooMany'
    await store.insertEvent(tx, {
      workspaceId,
      id: newId(),
      reportId: row.id,
      kind: 'Addition',
      recordedAt: ctx.now(),
      byType: null,
      byId: null,
      byEmail: null,
      text,
      instant: null,
      detail: {},
    })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor: REPORTER,
      action: 'disclosure-report.add',
      resourceType: 'disclosure-report',
      resourceId: row.id,
      after: { name: row.title },
    })
    return 'Added'
  })
}

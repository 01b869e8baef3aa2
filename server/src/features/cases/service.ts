/** Cases: made by hand, listed, and read with all that follows from their facts. */
import { isTimeZoneName } from '../../formats/law/calendar.ts'
import type { CaseType } from '../../formats/law/clocks.ts'
import { addMs, HOUR_MS } from '../../formats/instants.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { listLines } from '../product-lines/index.ts'
import {
  type CaseFact,
  type CaseStanding,
  type CaseState,
  findNextDue,
  listClocks,
  readStanding,
} from './case-facts.ts'
import { listVersionsWithFinding } from './proposals-store.ts'
import { recordFact } from './facts-service.ts'
import * as store from './store.ts'

const MOST_LISTED = 500
const MOST_READ = 10_000
/** [good practice] A proposal starts no clock of the law, but somebody is to look at it. */
const ASSESSMENT_HOURS = 4
/** The platform counts the notification from the submitted warning, the law from awareness (SRP Q26). */
const PLATFORM_HOURS = 48
/** Article 14 applies to stewards from then on: 24(3), 71(2). */
const STEWARDS_FROM = '2027-12-11'

type Reading = Pick<AppContext, 'now'>

interface OneCase {
  workspaceId: string
  caseId: string
}

interface CaseFilter {
  state?: CaseState | undefined
  /** Leaves out what is closed or dismissed. */
  isOpen?: boolean | undefined
  isDrill?: boolean | undefined
  listedBefore?: string | undefined
  cveId?: string | undefined
}

export async function listCases(
  ctx: Reading,
  db: Db,
  { workspaceId, ...filter }: { workspaceId: string } & CaseFilter,
) {
  const rows = await store.listCases(db, workspaceId, { limit: MOST_READ })
  const caseIds = rows.map(({ id }) => id)
  const facts = await store.listFacts(db, workspaceId, { caseIds, hasTexts: false })
  const byCase = Map.groupBy(facts, ({ caseId }) => caseId)
  const cases = rows
    .map((row) => describe(ctx, row, byCase.get(row.id) ?? []))
    .filter((one) => isChosen(one, filter))
    .toSorted((one, two) => rank(one) - rank(two))
  return { cases: cases.slice(0, MOST_LISTED), hasMore: cases.length > MOST_LISTED }
}

type Summary = ReturnType<typeof describe>

function isChosen(one: Summary, filter: CaseFilter): boolean {
  const { state, isOpen, isDrill, listedBefore, cveId } = filter
  if (state !== undefined && one.state !== state) return false
  if (isOpen === true && (one.state === 'Closed' || one.state === 'Dismissed')) return false
  if (isDrill !== undefined && one.isDrill !== isDrill) return false
  if (cveId !== undefined && one.cveId !== cveId) return false
  return listedBefore === undefined || (one.listedOn !== null && one.listedOn < listedBefore)
}

const NO_TIME = 9e15
/** Open clocks first, the next one due before others, then what waits for an answer. */
const ORDER: readonly CaseState[] = ['Open', 'Proposed', 'Watching', 'Closed', 'Dismissed']
const rank = ({ state, nextDueAt }: Summary) =>
  ORDER.indexOf(state) * 1e16 + (state === 'Open' ? Number(nextDueAt ?? NO_TIME) : 0)

/** A case by its facts alone: what people have stated, and what follows from it. */
export function describe(ctx: Reading, row: store.CaseRow, facts: readonly CaseFact[]) {
  const standing = readStanding(facts)
  const { lines, vulnerabilityId: cveId, ...held } = row
  return {
    ...held,
    cveId,
    state: standing.state,
    ...describeLines(lines),
    ...describeInstants(standing, row.createdAt),
    hasNewVersions: standing.hasNewVersions,
    ...describeClocks(ctx, row, standing),
  }
}

function describeLines(lines: readonly store.CaseLine[]) {
  const isOfStewards = lines.length > 0 && lines.every(({ role }) => role === 'Steward')
  return {
    productLines: lines.map(({ id, name }) => ({ id, name })),
    coordinatorStates: [...new Set(lines.flatMap((line) => line.coordinatorState ?? []))],
    memberStates: [...new Set(lines.flatMap((line) => line.memberStates))].toSorted(),
    appliesFrom: isOfStewards ? STEWARDS_FROM : null,
  }
}

function describeInstants(standing: CaseStanding, createdAt: Date) {
  const { state, signalAt = createdAt, awareness, watch, measure } = standing
  const answers = Object.values(standing.answers).map(({ detail }) => detail.answer)
  return {
    signalAt,
    assessBefore: state === 'Proposed' ? addMs(signalAt, ASSESSMENT_HOURS * HOUR_MS) : null,
    awareAt: awareness?.instant ?? null,
    isAwarenessEstimated: awareness?.isEstimate ?? false,
    nextLookAt: state === 'Watching' && watch ? watch.instant : null,
    measureAvailableAt: measure?.instant ?? null,
    suggestsDismissal: state !== 'Open' && answers.includes('No'),
  }
}

function describeClocks({ now }: Reading, row: store.CaseRow, standing: CaseStanding) {
  const timeZones = row.lines.map(({ timeZone }) => timeZone).filter(isTimeZoneName)
  const clocks = listClocks(standing, { type: row.type, timeZones, now: now() })
  const nextDue = standing.state === 'Open' ? findNextDue(clocks) : undefined
  const warning = standing.reports.find(
    ({ detail, invalidation }) => detail.stage === 'EarlyWarning' && !invalidation,
  )
  const warnedAt = warning?.instant ?? null
  const platformShowsAt = warnedAt && addMs(warnedAt, PLATFORM_HOURS * HOUR_MS)
  return {
    clocks: clocks.map((clock) => ({
      ...clock,
      platformShowsAt: clock.stage === 'Notification' ? platformShowsAt : null,
    })),
    nextDueAt: nextDue?.dueAt ?? null,
    nextStage: nextDue?.stage ?? null,
  }
}

export async function findRow(db: Db, { workspaceId, caseId }: OneCase): Promise<store.CaseRow> {
  const [row] = isUuid(caseId)
    ? await store.listCases(db, workspaceId, { id: caseId, limit: 1 })
    : []
  if (!row) throw notFound('case', caseId)
  return row
}

export async function getCase(ctx: Reading, db: Db, one: OneCase) {
  const { workspaceId } = one
  const row = await findRow(db, one)
  const of = { workspaceId, caseId: row.id, vulnerabilityId: row.vulnerabilityId }
  const facts = await store.listFacts(db, workspaceId, { caseIds: [row.id], hasTexts: true })
  const versions = await store.listVersions(db, of)
  const { answers, reports } = readStanding(facts)
  const summary = describe(ctx, row, facts)
  const answer = (question: 'CanBeExploited' | 'WasExploited') => {
    const fact = answers[question]
    return fact?.detail.answer === undefined
      ? null
      : { answer: fact.detail.answer, reason: fact.text, at: fact.recordedAt, by: fact.byEmail }
  }
  return {
    ...summary,
    versions,
    deviceCount: versions.reduce((sum, { deviceCount }) => sum + (deviceCount ?? 0), 0),
    canBeExploited: answer('CanBeExploited'),
    wasExploited: answer('WasExploited'),
    proposedAnswer: proposeAnswer(versions),
    proposedMeasure:
      of.vulnerabilityId !== null && summary.measureAvailableAt === null
        ? ((await store.findFirstFix(db, { ...of, vulnerabilityId: of.vulnerabilityId })) ?? null)
        : null,
    reports: reports.map(({ originalId, detail, instant, recordedAt, text, byEmail, ...rest }) => ({
      id: originalId,
      stage: detail.stage ?? 'EarlyWarning',
      requestId: detail.requestId ?? null,
      submittedAt: instant ?? recordedAt,
      reference: detail.reference ?? null,
      text: text ?? '',
      recordedAt,
      recordedBy: byEmail,
      invalidatedAt: rest.invalidation?.instant ?? null,
      invalidation: rest.invalidation?.text ?? null,
    })),
    facts: facts.map(({ caseId: _caseId, byId: _byId, detail, byEmail, ...fact }) => ({
      ...fact,
      byEmail,
      question: detail.question ?? null,
      answer: detail.answer ?? null,
      stage: detail.stage ?? null,
      measure: detail.measure ?? null,
      reference: detail.reference ?? null,
      names: detail.names ?? [],
      reason: detail.reason ?? null,
      isWithdrawn: detail.isWithdrawn ?? false,
    })),
  }
}

/** Decisions of the team are the first answer: a no where all findings are decided so. */
function proposeAnswer(versions: readonly store.CaseVersionRow[]): 'Yes' | 'No' | null {
  const assessments = versions.flatMap(({ components }) => components.map((one) => one.assessment))
  if (assessments.includes('Exploitable')) return 'Yes'
  const isNo = (assessment: string | null) =>
    assessment === 'NotAffected' || assessment === 'FalsePositive'
  return assessments.length > 0 && assessments.every(isNo) ? 'No' : null
}

export interface CreateCase {
  workspaceId: string
  type: CaseType
  title: string
  cveId?: string | null
  productLineIds: string[]
  isDrill?: boolean
  reason?: string | null
}

export async function createCase(ctx: AppContext, input: CreateCase & { actor: Actor }) {
  const { workspaceId, actor, type, productLineIds, isDrill = false, reason = null } = input
  const cveId = input.cveId ?? null
  const title = readName(input.title, '/title', 255)
  if (type === 'Incident' && cveId !== null)
    throw invalid('An incident has no CVE id; a vulnerability has.', '/cveId')
  const id = newId()
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockCases(tx, workspaceId)
    const { manufacturer, names } = await readLines(tx, { workspaceId, productLineIds })
    if (cveId !== null && !isDrill)
      await refuseSecond(tx, workspaceId, { vulnerabilityId: cveId, manufacturer })
    const row = { workspaceId, id, type, title, manufacturer, isDrill, listedOn: null }
    const createdByEmail = actor.email ?? null
    const made = { createdAt: ctx.now(), createdByEmail, origin: 'Person' as const }
    await store.insertCase(tx, { ...row, ...made, vulnerabilityId: cveId })
    await store.addLines(tx, { workspaceId, caseId: id, lineIds: productLineIds })
    if (cveId !== null) {
      const affected = { workspaceId, vulnerabilityId: cveId, lineIds: productLineIds }
      const versions = await listVersionsWithFinding(tx, affected)
      await store.addVersions(tx, { workspaceId, caseId: id, versions, at: ctx.now() })
    }
    const of = { workspaceId, caseId: id, actor }
    await recordFact(ctx, tx, { ...of, kind: 'Signal', instant: ctx.now(), text: reason })
    if (names.length > 0)
      await recordFact(ctx, tx, { ...of, kind: 'LinesAdded', detail: { names } })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'case.create',
      resourceType: 'case',
      resourceId: id,
      after: { name: title, type, cveId, manufacturer, productLines: names, isDrill, reason },
    })
  })
  return getCase(ctx, ctx.db, { workspaceId, caseId: id })
}

/** Of one manufacturer. */
export async function readLines(
  tx: Tx,
  { workspaceId, productLineIds }: { workspaceId: string; productLineIds: readonly string[] },
): Promise<{ manufacturer: string; names: string[] }> {
  const lines = await listLines(tx, workspaceId, productLineIds)
  const missing = productLineIds.findIndex((id) => !lines.some((line) => line.id === id))
  if (missing >= 0)
    throw invalid(
      `No product line has the id ${productLineIds[missing] ?? ''}.`,
      `/productLineIds/${missing}`,
    )
  const [first] = lines
  const other = lines.find((line) => !isSameName(line.manufacturer, first?.manufacturer ?? ''))
  if (first && other)
    throw new AppError(
      'conflict',
      'other-manufacturer',
      `${first.name} is of ${first.manufacturer}, and ${other.name} of ${other.manufacturer}.`,
    )
  return { manufacturer: first?.manufacturer ?? '', names: lines.map(({ name }) => name) }
}

export const isSameName = (one: string, two: string) => one.toLowerCase() === two.toLowerCase()

async function refuseSecond(
  tx: Tx,
  workspaceId: string,
  named: { vulnerabilityId: string; manufacturer: string },
): Promise<void> {
  const other = await store.findCaseOf(tx, workspaceId, named)
  if (other)
    throw new AppError(
      'conflict',
      'case-exists',
      `${named.vulnerabilityId} has the case ${other.id} (${other.title}) for this manufacturer.`,
    )
}

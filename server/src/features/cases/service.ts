/** Cases: listed, and read with all that follows from their facts. */
import { isTimeZoneName } from '../../formats/law/calendar.ts'
import { findFieldSet } from '../../formats/law/report-fields.ts'
import { addMs, HOUR_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { listLines } from '../product-lines/index.ts'
import {
  type CaseFact,
  type CaseStanding,
  findNextDue,
  listClocks,
  readStanding,
} from './case-facts.ts'
import { listFixDeployments } from './versions-store.ts'
import * as store from './store.ts'

/** [good practice] A proposal starts no clock of the law, but somebody is to look at it. */
const ASSESSMENT_HOURS = 4
/** The platform counts the notification from the submitted warning, the law from awareness (SRP Q26). */
const PLATFORM_HOURS = 48
/** Article 14 applies to stewards from then on: 24(3), 71(2). */
const STEWARDS_FROM = '2027-12-11'

export type ClockContext = Pick<AppContext, 'now'>

interface OneCase {
  workspaceId: string
  caseId: string
}

/** A case by its facts alone: what people have stated, and what follows from it. */
export function describe(ctx: ClockContext, row: store.CaseRow, facts: readonly CaseFact[]) {
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

function describeClocks({ now }: ClockContext, row: store.CaseRow, standing: CaseStanding) {
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

export async function getCase(ctx: ClockContext, db: Db, one: OneCase) {
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
    deviceCount: await store.countDevices(
      db,
      workspaceId,
      versions.map(({ firmwareVersionId }) => firmwareVersionId),
    ),
    canBeExploited: answer('CanBeExploited'),
    wasExploited: answer('WasExploited'),
    proposedAnswer: proposeAnswer(versions),
    proposedMeasure: summary.measureAvailableAt === null ? await proposeMeasure(db, of) : null,
    reports: reports.map(describeReport),
    facts: facts.map(({ caseId: _caseId, byId: _byId, detail, byEmail, ...fact }) => ({
      ...fact,
      byEmail,
      question: detail.question ?? null,
      answer: detail.answer ?? null,
      stage: detail.stage ?? null,
      measure: detail.measure ?? null,
      field: detail.field ?? null,
      reference: detail.reference ?? null,
      names: detail.names ?? [],
      reason: detail.reason ?? null,
      isWithdrawn: detail.isWithdrawn ?? false,
    })),
  }
}

function describeReport(report: CaseStanding['reports'][number]) {
  const { originalId, detail, instant, recordedAt, invalidation } = report
  return {
    id: originalId,
    stage: detail.stage ?? 'EarlyWarning',
    requestId: detail.requestId ?? null,
    submittedAt: instant ?? recordedAt,
    reference: detail.reference ?? null,
    text: report.text ?? '',
    ...describeFields(detail),
    recordedAt,
    recordedBy: report.byEmail,
    invalidatedAt: invalidation?.instant ?? null,
    invalidation: invalidation?.text ?? null,
  }
}

/** Named by the glossary that they were submitted by. */
function describeFields({ fieldSet = '', fields = [] }: CaseFact['detail']) {
  const named = new Map(findFieldSet(fieldSet)?.fields.map((field) => [field.key, field]))
  return {
    fieldSet: fieldSet === '' ? null : fieldSet,
    fields: fields.map(({ key, text }) => ({
      key,
      number: named.get(key)?.number ?? '',
      label: named.get(key)?.label ?? key,
      text,
    })),
  }
}

async function proposeMeasure(
  db: Db,
  { vulnerabilityId, ...of }: OneCase & { vulnerabilityId: string | null },
): Promise<{ at: Date; version: string } | null> {
  if (vulnerabilityId === null) return null
  const [first] = await listFixDeployments(db, { ...of, vulnerabilityId }, 1)
  return first ? { at: first.startedAt, version: `${first.firmware} ${first.version}` } : null
}

/** Decisions of the team are the first answer: a no where all findings are decided so. */
function proposeAnswer(versions: readonly store.CaseVersionRow[]): 'Yes' | 'No' | null {
  const assessments = versions.flatMap(({ components }) => components.map((one) => one.assessment))
  if (assessments.includes('Exploitable')) return 'Yes'
  const isNo = (assessment: string | null) =>
    assessment === 'NotAffected' || assessment === 'FalsePositive'
  return assessments.length > 0 && assessments.every(isNo) ? 'No' : null
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

/** Reports as they were submitted to the platform, and whether users were informed. Nothing is sent from here. */
import { parsePastInstant } from '../../formats/instants.ts'
import type { ReportStage } from '../../formats/law/clocks.ts'
import { findFieldSet, LATEST_FIELD_SET } from '../../formats/law/report-fields.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { type AppError, invalid, notFound } from '../../platform/errors.ts'
import { act, type ActOnCase, refuse, refuseSecond, requireOpen, tellWho } from './acts-service.ts'
import type * as caseFacts from './case-facts.ts'
import type { CaseStanding, HeldFact } from './case-facts.ts'
import { renderFields } from './drafts/render.ts'
import { STAGE_WORDS } from './stage-words.ts'

export interface RecordReport extends ActOnCase {
  stage: ReportStage
  submittedAt: string
  text?: string
  fields?: caseFacts.SubmittedField[]
  fieldSet?: string
  reference?: string | null
  requestId?: string | null
}

const EARLIER: Partial<Record<ReportStage, ReportStage>> = {
  Notification: 'EarlyWarning',
  IntermediateReport: 'Notification',
  FinalReport: 'Notification',
}

/** What was really submitted, word for word. The same from the same person is recorded once. */
export function recordReport(ctx: AppContext, input: RecordReport) {
  const instant = parsePastInstant(input.submittedAt, ctx.now(), '/submittedAt')
  const submitted = readSubmitted(input)
  const { text } = submitted
  const detail = { ...readReportDetail(input), ...submitted.detail }
  return act(ctx, input, ({ standing }) => {
    requireOpen(standing)
    const valid = standing.reports.filter(({ invalidation }) => !invalidation)
    const known = valid.find((one) => isSameStage(one.detail, detail))
    if (known && isRepeated(known, { actor: input.actor, text, detail, instant })) return undefined
    if (known) throw refuseOther(known)
    requireEarlier(standing, detail)
    return { kind: 'Report', action: 'case.record-report', instant, text, detail }
  })
}

type ReportDetail = caseFacts.FactDetail & { stage: ReportStage }

function readReportDetail({ stage, requestId, reference }: RecordReport): ReportDetail {
  if ((stage === 'IntermediateReport') !== isGiven(requestId))
    throw invalid(
      'An intermediate report, and no other, names the request of the CSIRT.',
      '/requestId',
    )
  return {
    stage,
    ...(isGiven(requestId) && { requestId }),
    ...(isGiven(reference) && { reference }),
  }
}

/** The exact text, and the fields in the platform's order by the glossary that they are of. */
function readSubmitted({ text, fields = [], fieldSet = LATEST_FIELD_SET.version }: RecordReport): {
  text: string
  detail: Pick<caseFacts.FactDetail, 'fields' | 'fieldSet'>
} {
  const set = findFieldSet(fieldSet)
  if (!set) throw invalid(`No glossary has the version ${fieldSet}.`, '/fieldSet')
  const given = new Map(fields.map((field) => [field.key, field.text]))
  const unknown = fields.findIndex(({ key }) => !set.fields.some((field) => field.key === key))
  if (unknown >= 0)
    throw invalid(
      `The glossary ${fieldSet} has no field ${JSON.stringify(fields[unknown]?.key)}.`,
      `/fields/${unknown}/key`,
    )
  if (given.size < fields.length) throw invalid('A field is named twice.', '/fields')
  const named = set.fields.flatMap(({ key, number, label }) => {
    const said = given.get(key)
    return said === undefined ? [] : [{ key, number, label, text: said }]
  })
  const exact = text ?? renderFields(named)
  if (exact === '') throw invalid('Give the exact text, or what each field said.', '/text')
  if (fields.length === 0) return { text: exact, detail: {} }
  const kept = named.map(({ key, text: said }) => ({ key, text: said }))
  return { text: exact, detail: { fields: kept, fieldSet } }
}

const isGiven = (text: string | null | undefined) => text !== null && text !== undefined

const isSameStage = (one: caseFacts.FactDetail, two: caseFacts.FactDetail) =>
  one.stage === two.stage && one.requestId === two.requestId

function isRepeated(
  known: HeldFact,
  given: { actor: Actor; text: string; detail: ReportDetail; instant: Date },
): boolean {
  return (
    known.text === given.text &&
    known.detail.reference === given.detail.reference &&
    known.instant?.getTime() === given.instant.getTime() &&
    known.byId === (given.actor.id ?? null)
  )
}

function refuseOther(known: HeldFact): AppError {
  const { stage = 'EarlyWarning', reference } = known.detail
  const named = reference === undefined ? 'no reference' : `the reference ${reference}`
  const at = known.instant?.toISOString() ?? ''
  return refuse(
    'fact-recorded',
    `The ${STAGE_WORDS[stage]} of ${at}, with ${named}, is there: ${tellWho(known)}.`,
  )
}

function requireEarlier({ reports, requests }: CaseStanding, detail: ReportDetail): void {
  const { requestId, stage } = detail
  if (isGiven(requestId) && !requests.some(({ originalId }) => originalId === requestId))
    throw invalid('No request of the CSIRT has this id.', '/requestId')
  const earlier = EARLIER[stage]
  const isThere = reports.some((one) => !one.invalidation && one.detail.stage === earlier)
  if (earlier && !isThere)
    throw refuse(
      'report-out-of-order',
      `The ${STAGE_WORDS[earlier]} comes before the ${STAGE_WORDS[stage]}.`,
    )
}

/** The CSIRT did not accept it, so the stage is due again at its old time. */
export function invalidateReport(
  ctx: AppContext,
  input: ActOnCase & { reportId: string; invalidatedAt: string; reason: string },
) {
  const { reportId, reason: text } = input
  const instant = parsePastInstant(input.invalidatedAt, ctx.now(), '/invalidatedAt')
  return act(ctx, input, ({ standing }) => {
    requireOpen(standing)
    const report = standing.reports.find(({ originalId }) => originalId === reportId)
    if (!report) throw notFound('report', reportId)
    refuseSecond(report.invalidation, 'The invalidation')
    const { stage } = report.detail
    return {
      kind: 'ReportInvalidated',
      action: 'case.invalidate-report',
      instant,
      text,
      detail: { reportId, ...(stage && { stage }) },
    }
  })
}

export function recordUsersInformed(
  ctx: AppContext,
  input: ActOnCase & { informedAt: string; text: string },
) {
  const { text } = input
  const instant = parsePastInstant(input.informedAt, ctx.now(), '/informedAt')
  return act(ctx, input, ({ standing }) => {
    requireOpen(standing)
    refuseSecond(
      standing.usersInformed?.kind === 'UsersInformed' ? standing.usersInformed : undefined,
      'That users were informed',
    )
    return { kind: 'UsersInformed', action: 'case.inform-users', instant, text }
  })
}

export function recordUsersNotInformed(ctx: AppContext, input: ActOnCase & { reason: string }) {
  return act(ctx, input, ({ standing }) => {
    requireOpen(standing)
    refuseSecond(standing.usersInformed, 'Whether users were informed')
    const instant = ctx.now()
    const action = 'case.not-inform-users'
    return { kind: 'UsersNotInformed', action, instant, text: input.reason }
  })
}

/**
 * When the reports of Article 14 of Regulation (EU) 2024/2847 are due, by the facts of a case alone. Where the law can be read in more than
 * one way the earliest reading counts, and is marked as an interpretation.
 */
import { addMs, DAY_MS, HOUR_MS } from '../instants.ts'
import { addCalendarMonth } from './calendar.ts'

export const CASE_TYPES = ['Vulnerability', 'Incident'] as const
export type CaseType = (typeof CASE_TYPES)[number]

export const REPORT_STAGES = [
  'EarlyWarning',
  'Notification',
  'IntermediateReport',
  'FinalReport',
] as const
export type ReportStage = (typeof REPORT_STAGES)[number]

export const CLOCK_STAGES = [...REPORT_STAGES, 'UsersInformed'] as const
type ClockStage = (typeof CLOCK_STAGES)[number]

/** Where a due time comes from, or why there is none. */
export const CLOCK_BASES = [
  'AwareAt',
  'MeasureAvailableAt',
  'NotificationDue',
  'NotificationSubmitted',
  'RequestedByCsirt',
  'NoHours',
  'WaitsForMeasure',
  'WaitsForNotification',
] as const
type ClockBasis = (typeof CLOCK_BASES)[number]

export interface RecordedReport {
  stage: ReportStage
  /** Of an intermediate report: what the CSIRT asked for. */
  requestId?: string | null
  submittedAt: Date
  /** The CSIRT did not accept it, so the stage is due again at its old time. */
  isInvalid: boolean
}

export interface ClockFacts {
  type: CaseType
  awareAt: Date | undefined
  measureAvailableAt: Date | undefined
  reports: readonly RecordedReport[]
  requests: readonly { id: string; dueAt: Date }[]
  /** When users were informed, or a reason was recorded why not. */
  usersInformedAt: Date | undefined
  /** Of the manufacturers of the case's product lines. */
  timeZones: readonly string[]
}

export interface CaseClock {
  stage: ClockStage
  requestId: string | null
  /** null: no due time, or none yet. */
  dueAt: Date | null
  basis: ClockBasis
  /** Points of Article 14. */
  article: string
  /** The law does not say it: the cautious reading. */
  isInterpretation: boolean
  /** null: still open. */
  doneAt: Date | null
}

const EARLY_WARNING_HOURS = 24
const NOTIFICATION_HOURS = 72
const FINAL_DAYS = 14

const ARTICLES = {
  Vulnerability: { EarlyWarning: '14(2)(a)', Notification: '14(2)(b)', FinalReport: '14(2)(c)' },
  Incident: { EarlyWarning: '14(4)(a)', Notification: '14(4)(b)', FinalReport: '14(4)(c)' },
} as const

/** Point of Article 14. */
export const computeArticle = (type: CaseType, stage: keyof (typeof ARTICLES)[CaseType]) =>
  ARTICLES[type][stage]

type Due = Pick<CaseClock, 'dueAt' | 'basis' | 'isInterpretation'>

/** Empty before somebody has set the instant of awareness: a hint starts no clock. */
export function computeClocks(facts: ClockFacts): CaseClock[] {
  const { type, awareAt, requests, usersInformedAt } = facts
  if (!awareAt) return []
  const articles = ARTICLES[type]
  const due = (dueAt: Date, basis: ClockBasis): Due => ({ dueAt, basis, isInterpretation: false })
  const report = (stage: keyof typeof articles, times: Due): CaseClock => ({
    stage,
    requestId: null,
    article: articles[stage],
    ...times,
    doneAt: findValidReport(facts, stage)?.submittedAt ?? null,
  })
  return [
    report('EarlyWarning', due(addMs(awareAt, EARLY_WARNING_HOURS * HOUR_MS), 'AwareAt')),
    report('Notification', due(addMs(awareAt, NOTIFICATION_HOURS * HOUR_MS), 'AwareAt')),
    ...requests.map(({ id, dueAt }): CaseClock => ({
      stage: 'IntermediateReport',
      requestId: id,
      article: '14(6)',
      ...due(dueAt, 'RequestedByCsirt'),
      doneAt: findValidReport(facts, 'IntermediateReport', id)?.submittedAt ?? null,
    })),
    report(
      'FinalReport',
      type === 'Vulnerability' ? finalOfVulnerability(facts, awareAt) : finalOfIncident(facts),
    ),
    {
      stage: 'UsersInformed',
      requestId: null,
      dueAt: null,
      basis: 'NoHours',
      article: '14(8)',
      isInterpretation: false,
      doneAt: usersInformedAt ?? null,
    },
  ]
}

function findValidReport(
  { reports }: Pick<ClockFacts, 'reports'>,
  stage: ReportStage,
  requestId: string | null = null,
): RecordedReport | undefined {
  return reports.find(
    (report) =>
      report.stage === stage && (report.requestId ?? null) === requestId && !report.isInvalid,
  )
}

/** A measure may be older than awareness: then the law does not say how the final report comes after the notification. */
function finalOfVulnerability({ measureAvailableAt }: ClockFacts, awareAt: Date): Due {
  if (!measureAvailableAt) return { dueAt: null, basis: 'WaitsForMeasure', isInterpretation: false }
  const dueAt = addMs(measureAvailableAt, FINAL_DAYS * DAY_MS)
  const notificationDue = addMs(awareAt, NOTIFICATION_HOURS * HOUR_MS)
  return dueAt < notificationDue
    ? { dueAt: notificationDue, basis: 'NotificationDue', isInterpretation: true }
    : { dueAt, basis: 'MeasureAvailableAt', isInterpretation: false }
}

/** A month after the first submission: whether one that was not accepted counts is not settled, so it does. */
function finalOfIncident({ reports, timeZones }: ClockFacts): Due {
  const notifications = reports.filter(({ stage }) => stage === 'Notification')
  const [first, ...others] = notifications
  if (!first) return { dueAt: null, basis: 'WaitsForNotification', isInterpretation: false }
  const earliest = others.reduce(
    (one, two) => (two.submittedAt < one.submittedAt ? two : one),
    first,
  )
  const ends = ['UTC', ...timeZones].map((zone) => addCalendarMonth(earliest.submittedAt, zone))
  const dueAt = ends.reduce((one, two) => (two < one ? two : one))
  return { dueAt, basis: 'NotificationSubmitted', isInterpretation: earliest.isInvalid }
}

export type ClockState = 'Done' | 'DoneLate' | 'Running' | 'Late' | 'NoDueTime'

/** What was late stays late. */
export function judgeClock({ dueAt, doneAt }: CaseClock, now: Date): ClockState {
  if (doneAt) return dueAt && doneAt > dueAt ? 'DoneLate' : 'Done'
  if (!dueAt) return 'NoDueTime'
  return now > dueAt ? 'Late' : 'Running'
}

/** What a report from outside is by its events: its state, and what is due. All times are good practice (BSI TR-03183-3), and no law. */
import { addDays } from '../../formats/instants.ts'
import { addWorkingDays } from '../../formats/law/working-days.ts'

export const EVENT_KINDS = [
  'Answer',
  'Addition',
  'Note',
  'Joined',
  'Dismissed',
  'Reopened',
  'Embargo',
  'Credit',
  'ContactErased',
  'Disclosed',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

export const DISMISSALS = ['Spam', 'Duplicate', 'NotAVulnerability', 'OutOfScope'] as const
export type Dismissal = (typeof DISMISSALS)[number]

export interface EventDetail {
  /** Of `Joined`. */
  caseId?: string
  /** Of `Dismissed`. */
  as?: Dismissal
  /** The report that this one repeats. */
  duplicateOfId?: string
}

export interface ReportEvent {
  id: string
  kind: EventKind
  recordedAt: Date
  byType: string | null
  byEmail: string | null
  text: string | null
  instant: Date | null
  detail: EventDetail
}

export const REPORT_STATES = ['New', 'Answered', 'Accepted', 'Dismissed', 'Disclosed'] as const
export type ReportState = (typeof REPORT_STATES)[number]

export const REPORT_STEPS = ['Answer', 'Assessment', 'Disclosure'] as const
export type ReportStep = (typeof REPORT_STEPS)[number]

export interface ReportTimes {
  answerDays: number
  assessmentDays: number
  disclosureDays: number
}

export interface ReportClock {
  step: ReportStep
  dueAt: Date
  doneAt: Date | null
  state: 'Done' | 'DoneLate' | 'Running' | 'Late'
}

export interface ReportStanding {
  state: ReportState
  caseId: string | null
  dismissal: Dismissal | null
  duplicateOfId: string | null
  /** null: the days of the policy count. */
  embargoUntil: Date | null
  disclosedAt: Date | null
  credit: string | null
  /** There is none since then, and nobody can tell any more what it was. */
  contactErasedAt: Date | null
  /** Whoever reported wrote something that nobody has answered. */
  hasUnanswered: boolean
  clocks: ReportClock[]
}

interface Received {
  receivedAt: Date
  credit: string | null
}

/** `events`: oldest first. */
export function readStanding(
  received: Received,
  events: readonly ReportEvent[],
  { times, now }: { times: ReportTimes; now: Date },
): ReportStanding {
  const last = (...kinds: EventKind[]) => events.findLast(({ kind }) => kinds.includes(kind))
  const end = last('Dismissed', 'Disclosed', 'Reopened')
  const ended = end?.kind === 'Reopened' ? undefined : end
  const joined = last('Joined')
  const embargoUntil = last('Embargo')?.instant ?? null
  const credited = last('Credit')
  const due = computeDue(received.receivedAt, embargoUntil, times)
  const done = findDone(events, ended)
  return {
    state: decideState({ ended, joined, answered: last('Answer') }),
    caseId: joined?.detail.caseId ?? null,
    ...readEnd(ended),
    embargoUntil,
    credit: credited ? credited.text : received.credit,
    contactErasedAt: last('ContactErased')?.recordedAt ?? null,
    hasUnanswered: !ended && last('Answer', 'Addition')?.kind !== 'Answer',
    clocks: REPORT_STEPS.map((step) => ({
      step,
      dueAt: due[step],
      doneAt: done[step],
      state: judge(due[step], done[step], now),
    })),
  }
}

const readEnd = (ended: ReportEvent | undefined) => ({
  dismissal: ended?.detail.as ?? null,
  duplicateOfId: ended?.detail.duplicateOfId ?? null,
  disclosedAt: ended?.kind === 'Disclosed' ? (ended.instant ?? ended.recordedAt) : null,
})

const computeDue = (
  receivedAt: Date,
  embargoUntil: Date | null,
  times: ReportTimes,
): Record<ReportStep, Date> => ({
  Answer: addWorkingDays(receivedAt, times.answerDays),
  Assessment: addWorkingDays(receivedAt, times.assessmentDays),
  Disclosure: embargoUntil ?? addDays(receivedAt, times.disclosureDays),
})

/** An end answers all that is open. */
function findDone(
  events: readonly ReportEvent[],
  ended: ReportEvent | undefined,
): Record<ReportStep, Date | null> {
  const first = (wanted: EventKind) =>
    (events.find(({ kind }) => kind === wanted) ?? ended)?.recordedAt ?? null
  return {
    Answer: first('Answer'),
    Assessment: first('Joined'),
    Disclosure: ended?.instant ?? ended?.recordedAt ?? null,
  }
}

function decideState({
  ended,
  joined,
  answered,
}: Record<'ended' | 'joined' | 'answered', ReportEvent | undefined>): ReportState {
  if (ended) return ended.kind === 'Disclosed' ? 'Disclosed' : 'Dismissed'
  if (joined) return 'Accepted'
  return answered ? 'Answered' : 'New'
}

function judge(dueAt: Date, doneAt: Date | null, now: Date): ReportClock['state'] {
  if (doneAt !== null) return doneAt <= dueAt ? 'Done' : 'DoneLate'
  return now <= dueAt ? 'Running' : 'Late'
}

export const isOpen = ({ state }: Pick<ReportStanding, 'state'>) =>
  state !== 'Dismissed' && state !== 'Disclosed'

/** Somebody is to do something: answer, or assess. */
export const isWaiting = (standing: ReportStanding) =>
  isOpen(standing) && (standing.hasUnanswered || standing.state !== 'Accepted')

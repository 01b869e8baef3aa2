/** What people are to be told of reports from outside: answers, assessments and disclosures that are due soon or late. All of it is good practice. */
import { DAY_MS, formatInstant, HOUR_MS } from '../../formats/instants.ts'
import type { Deadline } from '../cases/index.ts'
import type { ReportClock, ReportStep } from './standing.ts'

interface WatchedReport {
  id: string
  title: string
  clocks: readonly ReportClock[]
}

const STEP_WORDS: Readonly<Record<ReportStep, string>> = {
  Answer: 'first answer by a person',
  Assessment: 'assessment',
  Disclosure: 'disclosure',
}

/** Days before it is due. */
const TOLD_BEFORE: Readonly<Record<ReportStep, number>> = {
  Answer: 1,
  Assessment: 1,
  Disclosure: 7,
}

/** What begins the name of a series, so that it is no case. */
const SERIES_PREFIX = 'disclosure-report'

export const listDeadlines = (reports: readonly WatchedReport[], at: Date): Deadline[] =>
  reports.flatMap((one) => one.clocks.flatMap((clock) => readClock(one, clock, at)))

function readClock({ id, title }: WatchedReport, clock: ReportClock, at: Date): Deadline[] {
  const { step, dueAt, doneAt } = clock
  const leftMs = dueAt.getTime() - at.getTime()
  if (doneAt !== null || leftMs > TOLD_BEFORE[step] * DAY_MS) return []
  const isLate = leftMs < 0
  return [
    {
      series: `${SERIES_PREFIX}/${id}/${step}/${isLate ? `late-${Math.floor(-leftMs / DAY_MS)}` : 'soon'}`,
      label: `Report from outside, ${title}: ${STEP_WORDS[step]} (good practice), ${isLate ? 'LATE, was due' : 'due'} ${formatInstant(dueAt)}`,
      hoursLeft: Math.round(leftMs / (HOUR_MS / 10)) / 10,
      isDrill: false,
      isGoodPractice: true,
    },
  ]
}

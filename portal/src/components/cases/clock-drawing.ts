/** What is drawn of a clock: how much of its time has passed, and how much is left, in words. */
import type { CaseClock } from '@plimsoll/api-client'
import type { Tone } from '../tag.tsx'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export interface ClockDrawing {
  /** From 0 to 1; undefined: there is no due time, so nothing is measured. */
  passed: number | undefined
  tone: Tone
  /** "11 h 24 min left", "late by 3 h 5 min", "submitted 2 h early", "no due date yet". */
  words: string
  state: CaseClock['state']
}

interface DrawnAt {
  /** From when the time counts; undefined: not known, and only the rest is said. */
  startedAt: string | null | undefined
  now: Date
}

/** The browser may see a clock run out before the service has told it. What was late stays late. */
export function drawClock(clock: CaseClock, { startedAt, now }: DrawnAt): ClockDrawing {
  const { dueAt, doneAt, stage } = clock
  if (dueAt === null) return drawWithoutDue(clock)
  const due = Date.parse(dueAt)
  const at = doneAt === null ? now.getTime() : Date.parse(doneAt)
  const passed = share(startedAt, due, at)
  const left = due - at
  if (doneAt !== null) {
    const act = stage === 'UsersInformed' ? 'done' : 'submitted'
    return left < 0
      ? { passed, tone: 'danger', words: `${act} ${formatSpan(-left)} late`, state: 'DoneLate' }
      : { passed, tone: 'ok', words: `${act} ${formatSpan(left)} before it was due`, state: 'Done' }
  }
  if (left < 0 || clock.state === 'Late')
    return { passed: 1, tone: 'danger', words: `late by ${formatSpan(-left)}`, state: 'Late' }
  const tone = left < SOON ? 'warn' : 'accent'
  return { passed, tone, words: `${formatSpan(left)} left`, state: 'Running' }
}

const SOON = 12 * HOUR

function drawWithoutDue({ doneAt, basis, stage }: CaseClock): ClockDrawing {
  if (doneAt !== null)
    return {
      passed: undefined,
      tone: 'ok',
      words: stage === 'UsersInformed' ? 'recorded' : 'submitted',
      state: 'Done',
    }
  const words = basis === 'NoHours' ? 'open' : 'no due date yet'
  return { passed: undefined, tone: 'muted', words, state: 'NoDueTime' }
}

function share(startedAt: string | null | undefined, due: number, at: number): number | undefined {
  if (startedAt === null || startedAt === undefined) return undefined
  const whole = due - Date.parse(startedAt)
  if (whole <= 0) return 1
  return Math.min(1, Math.max(0, (at - Date.parse(startedAt)) / whole))
}

/** "9 d 4 h", "11 h 24 min", "3 min": never more than there is. */
export function formatSpan(ms: number): string {
  const span = Math.max(0, ms)
  if (span < MINUTE) return 'less than a minute'
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`
  if (span < 3 * DAY)
    return joined([Math.floor(span / HOUR), 'h'], [Math.floor((span % HOUR) / MINUTE), 'min'])
  return joined([Math.floor(span / DAY), 'd'], [Math.floor((span % DAY) / HOUR), 'h'])
}

const joined = (...parts: [number, string][]) =>
  parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ')

interface Counted {
  clock: CaseClock
  awareAt: string | null
  measureAvailableAt: string | null
  /** Submissions of the notification, and when the CSIRT asked: only a whole case has them. */
  notifiedAt?: string | undefined
  askedAt?: string | undefined
}

/** From when the time of a clock counts. */
export function findStart({ clock, ...instants }: Counted): string | null | undefined {
  switch (clock.basis) {
    case 'AwareAt':
    case 'NotificationDue':
      return instants.awareAt
    case 'MeasureAvailableAt':
      return instants.measureAvailableAt
    case 'NotificationSubmitted':
      return instants.notifiedAt
    case 'RequestedByCsirt':
      return instants.askedAt
    case 'NoHours':
    case 'WaitsForMeasure':
    case 'WaitsForNotification':
      return undefined
  }
}

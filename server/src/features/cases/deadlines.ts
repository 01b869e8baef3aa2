/** What people are to be told of cases: reports that are due soon or late, and, as good practice, what waits for somebody. */
import { DAY_MS, formatInstant, HOUR_MS } from '../../formats/instants.ts'
import type { ShownClock } from './case-facts.ts'
import { STAGE_WORDS } from './stage-words.ts'

export interface WatchedCase {
  id: string
  title: string
  isDrill: boolean
  state: string
  awareAt: Date | null
  assessBefore: Date | null
  nextLookAt: Date | null
  clocks: readonly ShownClock[]
}

export interface Deadline {
  /** Another one with each step, so that each is told once: `case/EarlyWarning/4h`. */
  series: string
  label: string
  /** Negative: hours that have passed. null: no time is set. */
  hoursLeft: number | null
  isDrill: boolean
  /** No article of the law asks for it. */
  isGoodPractice: boolean
}

/** Hours before a report is due. */
const STEPS = [1, 4, 12] as const
const WEEK_MS = 7 * DAY_MS

/** `4h`, or the day since it was due; undefined: it is not due soon. */
function findStep(dueAt: Date, at: Date): string | undefined {
  const left = dueAt.getTime() - at.getTime()
  if (left < 0) return `late-${Math.floor(-left / DAY_MS)}`
  const step = STEPS.find((hours) => left <= hours * HOUR_MS)
  return step === undefined ? undefined : `${step}h`
}

const countHours = (dueAt: Date, at: Date) =>
  Math.round((dueAt.getTime() - at.getTime()) / (HOUR_MS / 10)) / 10

export function listDeadlines(cases: readonly WatchedCase[], at: Date): Deadline[] {
  return cases.flatMap((one) => {
    if (one.state === 'Open') return one.clocks.flatMap((clock) => readClock(one, clock, at))
    if (one.state === 'Proposed' || one.state === 'Watching') return readWaiting(one, at)
    return []
  })
}

const nameCase = ({ title, isDrill }: WatchedCase) => (isDrill ? `DRILL ${title}` : title)

function readClock(one: WatchedCase, clock: ShownClock, at: Date): Deadline[] {
  const { stage, requestId, dueAt, doneAt, article } = clock
  if (doneAt !== null) return []
  const series = [one.id, stage, ...(requestId === null ? [] : [requestId])].join('/')
  const what = `${nameCase(one)}: ${STAGE_WORDS[stage]} (Article ${article})`
  const of = { isDrill: one.isDrill }
  if (dueAt === null) return readWithoutTime(one, { series, what, at })
  const step = findStep(dueAt, at)
  if (step === undefined) return []
  const late = dueAt < at ? 'LATE, was due' : 'due'
  const label = `${what}, ${late} ${formatInstant(dueAt)}`
  const hoursLeft = countHours(dueAt, at)
  return [{ series: `${series}/${step}`, label, hoursLeft, isGoodPractice: false, ...of }]
}

/** Once a week, so that nobody forgets it. */
function readWithoutTime(
  { awareAt, isDrill }: WatchedCase,
  { series, what, at }: { series: string; what: string; at: Date },
): Deadline[] {
  const weeks = awareAt === null ? 0 : Math.floor((at.getTime() - awareAt.getTime()) / WEEK_MS)
  if (weeks < 1) return []
  const label = `${what}, open, with no due date yet`
  return [
    { series: `${series}/week-${weeks}`, label, hoursLeft: null, isGoodPractice: true, isDrill },
  ]
}

function readWaiting(one: WatchedCase, at: Date): Deadline[] {
  const [word, waitsUntil] =
    one.state === 'Proposed'
      ? (['assess', one.assessBefore] as const)
      : (['look', one.nextLookAt] as const)
  if (waitsUntil === null || waitsUntil >= at) return []
  const days = Math.floor((at.getTime() - waitsUntil.getTime()) / DAY_MS)
  const what = word === 'assess' ? 'to be assessed' : 'to be looked at again'
  return [
    {
      series: `${one.id}/${word}/day-${days}`,
      label: `${nameCase(one)}: ${what} (good practice), since ${formatInstant(waitsUntil)}`,
      hoursLeft: countHours(waitsUntil, at),
      isDrill: one.isDrill,
      isGoodPractice: true,
    },
  ]
}

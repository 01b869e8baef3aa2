/** What a case is by its facts. */
import {
  type CaseClock,
  type CaseType,
  computeClocks,
  judgeClock,
  type RecordedReport,
  type ReportStage,
} from '../../formats/law/clocks.ts'

export const FACT_KINDS = [
  'Signal',
  'VersionsFound',
  'LinesAdded',
  'LinesRemoved',
  'Answer',
  'Awareness',
  'Watch',
  'MeasureAvailable',
  'ReportRequest',
  'Report',
  'ReportInvalidated',
  'UsersInformed',
  'UsersNotInformed',
  'Dismissed',
  'Closed',
  'Reopened',
  'Field',
] as const
export type FactKind = (typeof FACT_KINDS)[number]

export const QUESTIONS = ['CanBeExploited', 'WasExploited'] as const
export type Question = (typeof QUESTIONS)[number]
export const ANSWERS = ['Yes', 'No', 'Unknown'] as const
export type Answer = (typeof ANSWERS)[number]
export const MEASURE_KINDS = ['Corrective', 'Mitigating'] as const

export interface SubmittedField {
  key: string
  text: string
}

export interface FactDetail {
  question?: Question
  answer?: Answer
  measure?: (typeof MEASURE_KINDS)[number]
  stage?: ReportStage
  /** Of an intermediate report: the fact that asks for it. */
  requestId?: string
  /** Of the platform. */
  reference?: string
  /** The report that was not accepted. */
  reportId?: string
  /** Of a correction. */
  reason?: string
  /** The fact that it corrects holds no more. */
  isWithdrawn?: boolean
  /** Of a text that somebody wrote into a draft, with `stage`. */
  field?: string
  /** Version of the glossary that the fields are of. */
  fieldSet?: string
  /** Of a report: what each field said. */
  fields?: SubmittedField[]
  /** The product line that was removed. */
  lineId?: string
  /** What people call what was found or added. */
  names?: string[]
}

export interface CaseFact {
  id: string
  kind: FactKind
  recordedAt: Date
  byType: string
  byId: string | null
  byEmail: string | null
  instant: Date | null
  isEstimate: boolean
  text: string | null
  detail: FactDetail
  correctsId: string | null
}

export const CASE_STATES = ['Proposed', 'Watching', 'Open', 'Closed', 'Dismissed'] as const
export type CaseState = (typeof CASE_STATES)[number]

/** The facts that hold, oldest first: of a corrected one its last correction, unless that withdraws it. */
export function listHolding(facts: readonly CaseFact[]): CaseFact[] {
  const corrected = new Set(facts.map(({ correctsId }) => correctsId))
  return facts.filter(({ id, detail }) => !corrected.has(id) && detail.isWithdrawn !== true)
}

/** What a correction stands for: the first fact of its chain, by which others name it. */
function findOriginal(facts: readonly CaseFact[], fact: CaseFact): CaseFact {
  const byId = new Map(facts.map((one) => [one.id, one]))
  let original = fact
  for (let next = byId.get(fact.correctsId ?? ''); next; next = byId.get(next.correctsId ?? ''))
    original = next
  return original
}

export interface HeldFact extends CaseFact {
  /** Of the first fact, where it is a correction. */
  originalId: string
}

export interface CaseStanding {
  state: CaseState
  signalAt: Date | undefined
  awareness: HeldFact | undefined
  watch: HeldFact | undefined
  measure: HeldFact | undefined
  usersInformed: HeldFact | undefined
  answers: Partial<Record<Question, HeldFact>>
  requests: HeldFact[]
  reports: (HeldFact & { invalidation: HeldFact | undefined })[]
  /** Versions were found after it was dismissed or closed. */
  hasNewVersions: boolean
}

export function readStanding(facts: readonly CaseFact[]): CaseStanding {
  const holding = listHolding(facts).map((fact) => ({
    ...fact,
    originalId: findOriginal(facts, fact).id,
  }))
  const ofKind = (...kinds: FactKind[]) => holding.filter(({ kind }) => kinds.includes(kind))
  const last = (...kinds: FactKind[]) => ofKind(...kinds).at(-1)
  const end = last('Dismissed', 'Closed', 'Reopened')
  const awareness = last('Awareness')
  const watch = last('Watch')
  const isEnded = end !== undefined && end.kind !== 'Reopened'
  const invalidations = ofKind('ReportInvalidated')
  return {
    state: decideState({ end, awareness, watch }),
    signalAt: findFirst(ofKind('Signal')),
    awareness,
    watch,
    measure: last('MeasureAvailable'),
    usersInformed: last('UsersInformed', 'UsersNotInformed'),
    answers: Object.fromEntries(
      ofKind('Answer').flatMap((fact) =>
        fact.detail.question ? [[fact.detail.question, fact]] : [],
      ),
    ),
    requests: ofKind('ReportRequest'),
    reports: ofKind('Report').map((report) => ({
      ...report,
      invalidation: invalidations.find(({ detail }) => detail.reportId === report.originalId),
    })),
    hasNewVersions:
      isEnded && ofKind('VersionsFound').some(({ recordedAt }) => recordedAt > end.recordedAt),
  }
}

/** A report from outside may join later than it was received. */
function findFirst(signals: readonly HeldFact[]): Date | undefined {
  const instants = signals.flatMap(({ instant }) => instant ?? [])
  return instants.toSorted((one, two) => one.getTime() - two.getTime())[0]
}

function decideState({
  end,
  awareness,
  watch,
}: Record<'end' | 'awareness' | 'watch', CaseFact | undefined>): CaseState {
  if (end?.kind === 'Dismissed' || end?.kind === 'Closed') return end.kind
  if (awareness) return 'Open'
  return watch ? 'Watching' : 'Proposed'
}

export interface ShownClock extends CaseClock {
  state: ReturnType<typeof judgeClock>
}

interface ClockScope {
  type: CaseType
  timeZones: readonly string[]
  now: Date
}

export function listClocks(standing: CaseStanding, { type, timeZones, now }: ClockScope) {
  const clocks = computeClocks({
    type,
    timeZones,
    awareAt: standing.awareness?.instant ?? undefined,
    measureAvailableAt: standing.measure?.instant ?? undefined,
    usersInformedAt: standing.usersInformed?.instant ?? undefined,
    reports: standing.reports.flatMap(readReport),
    requests: standing.requests.flatMap(({ originalId, instant }) =>
      instant ? [{ id: originalId, dueAt: instant }] : [],
    ),
  })
  return clocks.map((clock): ShownClock => ({ ...clock, state: judgeClock(clock, now) }))
}

function readReport({
  detail,
  instant,
  invalidation,
}: CaseStanding['reports'][number]): RecordedReport[] {
  const { stage, requestId = null } = detail
  if (!stage || !instant) return []
  return [{ stage, requestId, submittedAt: instant, isInvalid: invalidation !== undefined }]
}

/** What is due next among clocks that nobody has answered; null: nothing with a time. */
export function findNextDue(clocks: readonly CaseClock[]): CaseClock | undefined {
  const open = clocks.filter(({ doneAt, dueAt }) => doneAt === null && dueAt !== null)
  return open.toSorted((one, two) => Number(one.dueAt) - Number(two.dueAt))[0]
}

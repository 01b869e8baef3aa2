/** The one list of what is missing in a case: what the law asks first, then what good practice asks. */
import {
  type Case,
  type CaseQuestion,
  DRAFT_STAGE,
  type DraftStage,
  type ProductLine,
} from '@plimsoll/api-client'
import { formatSpan } from '../../components/cases/clock-drawing.ts'
import { lowerStage } from '../../components/cases/words.ts'

/** What can be opened to bring it. */
export type MissingAct =
  | 'aware'
  | 'measure'
  | 'users'
  | 'lines'
  | 'watch'
  | { question: CaseQuestion }
  /** A report that has a draft: it is copied and recorded there, field by field. */
  | { draft: DraftStage }
  /** An intermediate report. */
  | { requestId: string }
  | { lineId: string }

export interface MissingItem {
  text: string
  /** Points of the law; undefined: good practice. */
  article?: string
  isLate?: boolean
  act?: MissingAct
}

interface Known {
  /** Of the case; undefined: they are not read yet. */
  lines: readonly ProductLine[] | undefined
  now: Date
}

export function listMissing(one: Case, known: Known): MissingItem[] {
  const isEnded = one.state === 'Closed' || one.state === 'Dismissed'
  if (isEnded) return one.hasNewVersions ? [NEW_VERSIONS] : []
  const clocks = one.state === 'Open' ? listOpenClocks(one, known.now) : []
  const { article } = findAwareness(one)
  const all: MissingItem[] = [
    ...listFutureInstants(one, known.now),
    ...clocks,
    ...(one.awareAt === null ? [{ ...AWARENESS, article }] : []),
    ...listLineGaps(one, known.lines),
    ...listPractice(one, known.now),
  ]
  const rank = ({ isLate, article: law }: MissingItem) =>
    isLate === true ? 0 : law === undefined ? 2 : 1
  return all.toSorted((a, b) => rank(a) - rank(b))
}

const NEW_VERSIONS: MissingItem = {
  text: 'Versions were found with it after the case ended: does the end still hold?',
}
const AWARENESS: MissingItem = {
  text: 'The instant of awareness: no clock of the law runs before somebody sets it',
  act: 'aware',
}

/** How much the clock of this computer may be behind that of the service. */
const TOLERATED_MS = 5 * 60_000

/** Taken while a clock of the host was ahead: what is due by it would be later than the law wants. */
function listFutureInstants(
  { awareAt, measureAvailableAt, reports }: Case,
  now: Date,
): MissingItem[] {
  const isAhead = (at: string | null) =>
    at !== null && Date.parse(at) > now.getTime() + TOLERATED_MS
  const ahead = [
    ...(isAhead(awareAt) ? ['The instant of awareness'] : []),
    ...(isAhead(measureAvailableAt) ? ['The instant of the measure'] : []),
    ...(reports.some(({ submittedAt }) => isAhead(submittedAt)) ? ['A submission'] : []),
  ]
  return ahead.map((what) => ({
    text: `${what} lies in the future: a clock is or was wrong. Correct it among the facts`,
    isLate: true,
  }))
}

const findAwareness = ({ type }: Case) => ({
  article: type === 'Vulnerability' ? '14(2)' : '14(4)',
})

function listOpenClocks({ clocks, type }: Case, now: Date): MissingItem[] {
  return clocks.flatMap(({ stage, requestId, article, dueAt, doneAt, basis }): MissingItem[] => {
    if (doneAt !== null) return []
    if (stage === 'UsersInformed')
      return [{ text: 'That users were informed, or why not', article, act: 'users' }]
    if (basis === 'WaitsForMeasure')
      return [
        {
          text: 'Since when a corrective or mitigating measure is available: the final report has no due date before that',
          article,
          act: 'measure',
        },
      ]
    if (basis === 'WaitsForNotification' && type === 'Incident') return []
    const isLate = dueAt !== null && Date.parse(dueAt) < now.getTime()
    const late = isLate ? `, late by ${formatSpan(now.getTime() - Date.parse(dueAt))}` : ''
    const text = `The submission of the ${lowerStage(stage)}${late}`
    const draft = DRAFT_STAGE.find((one) => one === stage)
    if (draft) return [{ text, article, isLate, act: { draft } }]
    return [{ text, article, isLate, ...(requestId !== null && { act: { requestId } }) }]
  })
}

function listLineGaps({ productLines }: Case, lines: Known['lines']): MissingItem[] {
  if (productLines.length === 0)
    return [
      {
        text: 'A product line, which says manufacturer, Member States and coordinator',
        article: '14(2)(a), 14(7)',
        act: 'lines',
      },
    ]
  return (lines ?? []).flatMap(({ id: lineId, name, memberStates, coordinatorState }) => [
    ...(memberStates.length === 0
      ? [
          {
            text: `In which Member States ${name} was made available`,
            article: '14(2)(a), 14(4)(a)',
            act: { lineId },
          },
        ]
      : []),
    ...(coordinatorState === null
      ? [{ text: `The coordinator of ${name}`, article: '14(7)', act: { lineId } }]
      : []),
  ])
}

function listPractice(one: Case, now: Date): MissingItem[] {
  const { type, canBeExploited, wasExploited, assessBefore, nextLookAt } = one
  const isOver = (at: string | null) => at !== null && Date.parse(at) < now.getTime()
  const asked: [boolean, MissingItem][] = [
    [
      isOver(assessBefore),
      { text: 'An assessment within 4 hours: set awareness, watch it or dismiss it, above' },
    ],
    [
      type === 'Vulnerability' && canBeExploited === null,
      {
        text: 'Whether it can be exploited in the product',
        act: { question: 'CanBeExploited' },
      },
    ],
    [
      type === 'Vulnerability' && wasExploited === null,
      { text: 'Whether it was exploited in the product', act: { question: 'WasExploited' } },
    ],
    [isOver(nextLookAt), { text: 'The next look, which was due', act: 'watch' }],
    [one.isAwarenessEstimated, { text: 'The exact instant of awareness: it is an estimate' }],
  ]
  return asked.flatMap(([isAsked, missing]) => (isAsked ? [missing] : []))
}

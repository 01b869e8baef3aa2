/** The facts of a case as sentences, newest first, and which of them still hold. */
import type { CaseFact } from '@plimsoll/api-client'
import { lowerStage } from '../../components/cases/words.ts'

export interface ToldFact {
  fact: CaseFact
  /** What it says, without its instant. */
  text: string
  /** It was corrected or withdrawn since. */
  isReplaced: boolean
  /** It states an instant that a correction can change. */
  canBeCorrected: boolean
}

const CORRECTABLE: ReadonlySet<CaseFact['kind']> = new Set([
  'Awareness',
  'MeasureAvailable',
  'ReportRequest',
  'Report',
  'ReportInvalidated',
  'UsersInformed',
  'UsersNotInformed',
])

export function tellFacts(facts: readonly CaseFact[]): ToldFact[] {
  const corrected = new Set(facts.map(({ correctsId }) => correctsId))
  return facts
    .map((fact) => {
      const isReplaced = corrected.has(fact.id)
      return {
        fact,
        text: tellFact(fact),
        isReplaced,
        canBeCorrected: CORRECTABLE.has(fact.kind) && !isReplaced && !fact.isWithdrawn,
      }
    })
    .toReversed()
}

export const nameActor = ({ byEmail, byType }: Pick<CaseFact, 'byEmail' | 'byType'>) =>
  byEmail ?? (byType === 'System' ? 'Plimsoll' : 'an API key')

function tellFact(fact: CaseFact): string {
  const text = KINDS[fact.kind](fact)
  if (fact.isWithdrawn) return `Withdrawn: ${lowerFirst(text)}`
  if (fact.correctsId !== null) return `Corrected: ${lowerFirst(text)}`
  return text
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
const stageOf = ({ stage }: CaseFact) => lowerStage(stage ?? 'EarlyWarning')

const KINDS: Record<CaseFact['kind'], (fact: CaseFact) => string> = {
  Signal: () => 'First hint',
  VersionsFound: ({ names }) => `Found in ${names.join(', ') || 'versions'}`,
  LinesAdded: ({ names }) => `About ${names.join(', ') || 'product lines'}`,
  LinesRemoved: ({ names }) => `No longer about ${names.join(', ') || 'product lines'}`,
  Answer: ({ question, answer }) =>
    `${question === 'WasExploited' ? 'Was it exploited in the product' : 'Can it be exploited in the product'}? ${ANSWERS[answer ?? 'Unknown']}`,
  Awareness: ({ isEstimate }) => (isEstimate ? 'Aware since, by estimate' : 'Aware since'),
  Watch: () => 'Watched until the next look',
  MeasureAvailable: ({ measure }) =>
    `A ${measure === 'Mitigating' ? 'mitigating' : 'corrective'} measure is available since`,
  ReportRequest: () => 'The CSIRT asked for an intermediate report, due',
  Report: (fact) =>
    `The ${stageOf(fact)} was submitted${fact.reference === null ? ', without a reference,' : ` as ${fact.reference},`}`,
  ReportInvalidated: (fact) => `The CSIRT did not accept the ${stageOf(fact)}`,
  UsersInformed: () => 'Users were informed',
  UsersNotInformed: () => 'Users are not informed',
  Dismissed: () => 'Dismissed',
  Closed: () => 'Closed',
  Reopened: () => 'Reopened',
  Field: (fact) => `A field of the ${stageOf(fact)} was written`,
}

export const ANSWERS = { Yes: 'Yes', No: 'No', Unknown: 'Not known' } as const

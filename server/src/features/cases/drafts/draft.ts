/**
 * The fields of one report as they would be submitted now: what people wrote, what an earlier report carries on, or what is proposed.
 * Missing fields are named and block nothing.
 */
import { formatInstant } from '../../../formats/instants.ts'
import {
  countCharacters,
  type DraftStage,
  DRAFT_STAGES,
  type FieldRule,
  type FieldSet,
  findWhoWants,
  listFields,
  type ReportField,
} from '../../../formats/law/report-fields.ts'
import type { CaseFact, CaseStanding } from '../case-facts.ts'
import { STAGE_WORDS } from '../stage-words.ts'
import type { DraftFacts } from './draft-facts.ts'
import { PROPOSALS } from './propose-fields.ts'
import { tellBy } from './proposed-text.ts'

export const FIELD_ORIGINS = ['Written', 'CarriedOn', 'Proposed', 'Nothing'] as const

export interface DraftField {
  key: string
  number: string
  label: string
  rule: FieldRule
  wantedBy: 'Platform' | 'Law' | null
  most: number | null
  /** Empty: nothing is known, or somebody emptied it. */
  text: string
  characterCount: number
  isTooLong: boolean
  isMissing: boolean
  origin: (typeof FIELD_ORIGINS)[number]
  /** Where the text comes from; what is missing where there is none. */
  source: string
  proposedText: string | null
  proposedFrom: string | null
  /** What an earlier report said here. */
  submittedText: string | null
  written: WrittenField | null
}

interface WrittenField {
  factId: string
  stage: DraftStage
  by: string
  at: Date
}

/** The report that this one carries on from. */
type EarlierReport = CaseStanding['reports'][number]

/** The texts of each field that holds for the stage, in the platform's order. */
export function listFieldValues(
  fieldSet: FieldSet,
  facts: DraftFacts,
  { stage, written }: { stage: DraftStage; written: readonly CaseFact[] },
): DraftField[] {
  const earlier = findEarlierReports(facts.standing, stage)
  return listFields(fieldSet, facts.type, stage).map((field) => {
    const proposed = PROPOSALS[field.key]?.(facts)
    const submitted = findSubmitted(earlier, field.key)
    const own = findWritten(written, { key: field.key, stage })
    const chosen = chooseText(field.stages[stage], { own, submitted, proposed, stage })
    const characterCount = countCharacters(chosen.text)
    const wantedBy = findWhoWants(field, stage) ?? null
    return {
      ...nameField(field),
      rule: field.stages[stage],
      wantedBy,
      most: field.most,
      ...chosen,
      characterCount,
      isTooLong: field.most !== null && characterCount > field.most,
      isMissing: wantedBy !== null && chosen.text.trim() === '',
      proposedText: proposed?.text ?? null,
      proposedFrom: proposed?.source ?? null,
      submittedText: submitted?.text ?? null,
      written: own ? describeWritten(own) : null,
    }
  })
}

const nameField = ({ key, number, label }: ReportField) => ({ key, number, label })

const describeWritten = (fact: CaseFact): WrittenField => ({
  factId: fact.id,
  stage: readStage(fact),
  by: tellBy(fact),
  at: fact.recordedAt,
})

const readStage = ({ detail }: CaseFact): DraftStage =>
  DRAFT_STAGES.find((stage) => stage === detail.stage) ?? 'EarlyWarning'

const countStages = (stage: DraftStage) => DRAFT_STAGES.indexOf(stage)

/** What was written last for this stage, or else for the one before. Taken back: nothing. */
export function findWritten(
  facts: readonly CaseFact[],
  { key, stage }: { key: string; stage: DraftStage },
): CaseFact | undefined {
  const stages = DRAFT_STAGES.slice(0, countStages(stage) + 1).toReversed()
  for (const one of stages) {
    const last = facts.findLast((fact) => fact.detail.field === key && readStage(fact) === one)
    if (last && last.text !== null) return last
  }
  return undefined
}

/** The last one of each earlier stage that the CSIRT accepted, the latest stage first. */
function findEarlierReports({ reports }: CaseStanding, stage: DraftStage): EarlierReport[] {
  const earlier: readonly string[] = DRAFT_STAGES.slice(0, countStages(stage)).toReversed()
  return earlier.flatMap(
    (one) =>
      reports.findLast(({ detail, invalidation }) => detail.stage === one && !invalidation) ?? [],
  )
}

function findSubmitted(earlier: readonly EarlierReport[], key: string) {
  for (const report of earlier) {
    const field = report.detail.fields?.find((one) => one.key === key)
    if (field && field.text !== '') return { text: field.text, report }
  }
  return undefined
}

interface Candidates {
  stage: DraftStage
  own: CaseFact | undefined
  submitted: ReturnType<typeof findSubmitted>
  proposed: { text: string; source: string } | undefined
}

function chooseText(
  rule: FieldRule,
  { stage, own, submitted, proposed }: Candidates,
): Pick<DraftField, 'text' | 'origin' | 'source'> {
  const isOfStage = own !== undefined && readStage(own) === stage
  if (own && (isOfStage || rule !== 'CarriedOn' || !submitted)) return takeWritten(own)
  if (rule === 'CarriedOn' && submitted) {
    const { instant, detail } = submitted.report
    const of = `${STAGE_WORDS[detail.stage ?? 'EarlyWarning']} of ${instant ? formatInstant(instant) : 'an unknown instant'}`
    return { text: submitted.text, origin: 'CarriedOn', source: of }
  }
  if (proposed) return { text: proposed.text, origin: 'Proposed', source: proposed.source }
  return { text: '', origin: 'Nothing', source: 'Nobody has said it, and nothing here tells it.' }
}

const takeWritten = (own: CaseFact) => ({
  text: own.text ?? '',
  origin: 'Written' as const,
  source: `${tellBy(own)} on ${formatInstant(own.recordedAt)}`,
})

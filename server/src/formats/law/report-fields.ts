/**
 * The fields of the single reporting platform, by versions of ENISA's glossary. A new glossary is a new file: what was submitted keeps the
 * fields that it was written by.
 */
import latest from './srp-fields/1.3.json' with { type: 'json' }
import type { CaseType, ReportStage } from './clocks.ts'

type FieldRule = 'Required' | 'IfAvailable' | 'Optional' | 'CarriedOn' | 'Absent'

/** An intermediate report has what the CSIRT asks for, so the glossary has no rules for it. */
export type DraftStage = Exclude<ReportStage, 'IntermediateReport'>
const DRAFT_STAGES = ['EarlyWarning', 'Notification', 'FinalReport'] as const

export interface ReportField {
  key: string
  /** Of the glossary. */
  number: string
  label: string
  appliesTo: CaseType | 'Both'
  /** Characters; null: the glossary names none. */
  most: number | null
  stages: Record<DraftStage, FieldRule>
  /** What Article 14 wants at a stage, where the platform's rule says less. */
  byLaw?: Partial<Record<DraftStage, FieldRule>>
}

export interface FieldSet {
  version: string
  fields: readonly ReportField[]
}

export const LATEST_FIELD_SET = latest as FieldSet

/** In the platform's order. */
export function listFields({ fields }: FieldSet, type: CaseType, stage: DraftStage): ReportField[] {
  return fields.filter(
    ({ appliesTo, stages }) =>
      (appliesTo === 'Both' || appliesTo === type) && stages[stage] !== 'Absent',
  )
}

/** What has to be said at this stage: what the platform, or the law, wants here or wanted before. */
export function isWanted({ stages, byLaw = {} }: ReportField, stage: DraftStage): boolean {
  const reached = DRAFT_STAGES.slice(0, DRAFT_STAGES.indexOf(stage) + 1)
  return reached.some((one) => stages[one] === 'Required' || byLaw[one] === 'Required')
}

/**
 * As the platform's form counts: by UTF-16 code units, as `maxlength` of HTML does, where a line break is one. A letter beyond the basic
 * plane counts twice. This is never less than the number of code points, so what fits here fits by either count.
 */
export function countCharacters(text: string): number {
  return text.replaceAll('\r\n', '\n').length
}

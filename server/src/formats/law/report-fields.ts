/**
 * The fields of the single reporting platform, by versions of ENISA's glossary. A new glossary is a new file: what was submitted keeps the
 * fields that it was written by.
 */
import latest from './srp-fields/1.3.json' with { type: 'json' }
import type { CaseType, ReportStage } from './clocks.ts'

export const FIELD_RULES = ['Required', 'IfAvailable', 'Optional', 'CarriedOn', 'Absent'] as const
export type FieldRule = (typeof FIELD_RULES)[number]

/** An intermediate report has what the CSIRT asks for, so the glossary has no rules for it. */
export type DraftStage = Exclude<ReportStage, 'IntermediateReport'>
export const DRAFT_STAGES = [
  'EarlyWarning',
  'Notification',
  'FinalReport',
] as const satisfies DraftStage[]

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
  /** The day on which the glossary was read. */
  readOn: string
  fields: readonly ReportField[]
}

export const LATEST_FIELD_SET = latest as FieldSet

const FIELD_SETS: readonly FieldSet[] = [LATEST_FIELD_SET]

/** undefined: this service does not know the glossary. */
export function findFieldSet(version: string): FieldSet | undefined {
  return FIELD_SETS.find((one) => one.version === version)
}

/** In the platform's order. */
export function listFields({ fields }: FieldSet, type: CaseType, stage: DraftStage): ReportField[] {
  return fields.filter(
    ({ appliesTo, stages }) =>
      (appliesTo === 'Both' || appliesTo === type) && stages[stage] !== 'Absent',
  )
}

/** Who wants it said at this stage: what was required before is still wanted. The platform comes first, as it refuses. */
export function findWhoWants(
  { stages, byLaw = {} }: ReportField,
  stage: DraftStage,
): 'Platform' | 'Law' | undefined {
  const reached = DRAFT_STAGES.slice(0, DRAFT_STAGES.indexOf(stage) + 1)
  if (reached.some((one) => stages[one] === 'Required')) return 'Platform'
  return reached.some((one) => byLaw[one] === 'Required') ? 'Law' : undefined
}

/**
 * As the platform's form counts: by UTF-16 code units, as `maxlength` of HTML does, where a line break is one. A letter beyond the basic
 * plane counts twice. This is never less than the number of code points, so what fits here fits by either count.
 */
export function countCharacters(text: string): number {
  return text.replaceAll('\r\n', '\n').length
}

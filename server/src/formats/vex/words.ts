/** Writes an assessment as a line of text where a standard has no word for it, and reads it back. */
import type { VexStatement } from './model.ts'
import {
  isCycloneDxJustification,
  isOpenVexJustification,
  isVexResponse,
  type VexAssessment,
} from './vocabulary.ts'
import { readText } from '../sboms/json-values.ts'

type Words = Pick<VexStatement, 'assessment' | 'justification' | 'responses'>

export const NO_ACTION = 'No action has been stated.'
export const NO_REASON = 'No reason has been stated.'
export const NO_DETAIL = 'No details have been stated.'
export const FALSE_POSITIVE =
  'A false positive: the product does not hold what the record describes.'
const FILLERS: ReadonlySet<string> = new Set([NO_ACTION, NO_REASON, NO_DETAIL, FALSE_POSITIVE])

export function describeVerdict({ assessment, justification, responses }: Words): string {
  const words = [
    `assessment: ${assessment}`,
    ...(justification === undefined ? [] : [`justification: ${justification}`]),
    ...(responses.length === 0 ? [] : [`responses: ${responses.join(', ')}`]),
  ]
  return words.join('; ')
}

const WORDS =
  /^assessment: (\w+)(?:; justification: (\w+))?(?:; responses: ([a-z_]+(?:, [a-z_]+)*))?$/

/** Removes such lines from the detail and applies them to the statement. */
export function readWords(statement: VexStatement): VexStatement {
  const { detail } = statement
  if (detail === undefined) return statement
  const paragraphs = detail.split('\n\n').filter((text) => !FILLERS.has(text))
  const line = paragraphs.findLast((text) => WORDS.test(text))
  // Splitting and joining again keeps every blank line that a person wrote.
  const rest = readText(paragraphs.filter((text) => text !== line).join('\n\n'))
  const [, assessment, justification, responses] = WORDS.exec(line ?? '') ?? []
  if (assessment === undefined || !agrees(statement.assessment, assessment))
    return { ...statement, detail: line === undefined ? rest : detail }
  const isKnown = isOpenVexJustification(justification) || isCycloneDxJustification(justification)
  return {
    ...statement,
    assessment: assessment === 'FalsePositive' ? assessment : statement.assessment,
    justification: isKnown ? justification : statement.justification,
    responses: responses?.split(', ').filter(isVexResponse) ?? [],
    detail: rest,
  }
}

/** A line that contradicts the status is not from this service. */
function agrees(status: VexAssessment, word: string): boolean {
  return word === status || (word === 'FalsePositive' && status === 'NotAffected')
}

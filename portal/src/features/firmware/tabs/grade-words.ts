/** Grades of SBOMs, in words. */
import type { GradedElement } from '@plimsoll/api-client'
import { formatCount, formatCountOf } from '../../../format/counts.ts'

/** How many of the required elements are missing, and how many the format cannot say. */
export function describeGrade(elements: readonly GradedElement[]): string {
  const required = elements.filter(({ level }) => level === 'required')
  const count = (outcome: GradedElement['outcome']) =>
    required.filter((one) => one.outcome === outcome).length
  const all = formatCountOf(required.length, 'required element')
  const missing = count('missing') > 0 ? [`${count('missing')} of ${all} missing`] : []
  const unsayable = count('cannotSay') > 0 ? [`${count('cannotSay')} the format cannot say`] : []
  const parts = [...missing, ...unsayable]
  return parts.length === 0 ? `all of ${all}` : parts.join(', ')
}

/** On how many components it is missing, and how many say that it is unknown. */
export function describeCounts({ of, outcome, total, stated, unknown, reason }: GradedElement) {
  if (reason !== null) return reason
  if (of !== 'component') return ''
  const counted =
    outcome === 'missing'
      ? `on ${formatCount(total - stated)} of ${formatCountOf(total, 'component')}`
      : `by ${formatCount(stated)} of ${formatCountOf(total, 'component')}`
  if (unknown === 0) return counted
  return `${counted}; ${formatCount(unknown)} ${unknown === 1 ? 'says' : 'say'} that it is unknown`
}

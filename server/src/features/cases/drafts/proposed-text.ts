/** A proposed text with where it comes from, and how instants are written in reports. */
import { formatInstant } from '../../../formats/instants.ts'
import type { CaseFact } from '../case-facts.ts'
import type { DraftLine } from './draft-facts.ts'

export interface ProposedText {
  text: string
  /** Where it comes from, for people. */
  source: string
}

export const MOST_LISTED = 20

/** In UTC, and as clocks at the manufacturer show it. */
export function formatLocally(at: Date, lines: readonly DraftLine[]): string {
  const zones = [...new Set(lines.map(({ timeZone }) => timeZone))].filter((zone) => zone !== 'UTC')
  const local = zones.map((timeZone) => {
    const shown = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'short',
    }).format(at)
    return `${shown} ${timeZone}`
  })
  return local.length === 0 ? formatInstant(at) : `${formatInstant(at)} (${local.join(', ')})`
}

export const proposeText = (text: string, source: string): ProposedText | undefined =>
  text === '' ? undefined : { text, source }

export const listDistinct = (texts: readonly string[]) => [...new Set(texts)]

/** Who recorded it. */
export const tellBy = ({ byEmail, byType }: Pick<CaseFact, 'byEmail' | 'byType'>) =>
  byEmail ?? byType

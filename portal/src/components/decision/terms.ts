/** What a person says when a risk is accepted: why, who looks after it, and what ends it. */
import type { StatedAcceptance } from '@plimsoll/api-client'

export interface TermsDraft {
  reason: string
  ownerId: string | null
  /** A day of the reader; empty: no time ends it. */
  day: string
  knownExploited: boolean
  /** In percent. */
  epssAbove: string | number
  devicesAbove: string | number
  fixAvailable: boolean
}

export const NO_TERMS: TermsDraft = {
  reason: '',
  ownerId: null,
  day: '',
  knownExploited: true,
  epssAbove: '',
  devicesAbove: '',
  fixAvailable: false,
}

/** As a command takes it; all that ends it is named, so that the answer is what was read. */
export function readTerms(draft: TermsDraft) {
  const { ownerId, knownExploited, epssAbove, devicesAbove, fixAvailable } = draft
  const reason = draft.reason.trim()
  return {
    ...(reason !== '' && { reason }),
    ownerId,
    until: readLastMoment(draft.day),
    conditions: {
      knownExploited,
      epssAbove: epssAbove === '' ? null : Number(epssAbove) / 100,
      devicesAbove: devicesAbove === '' ? null : Number(devicesAbove),
      fixAvailable,
    },
  } satisfies StatedAcceptance
}

export type Terms = ReturnType<typeof readTerms>

/** The last moment of a day of the reader. */
export function readLastMoment(day: string): string | null {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || year < 2000 || month === undefined || date === undefined) return null
  return new Date(new Date(year, month - 1, date + 1).getTime() - 1).toISOString()
}

/** The day of the reader that is so many days from now, as a field has it. */
export function findLaterDay(days: number, now = new Date()): string {
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
  const pad = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
}

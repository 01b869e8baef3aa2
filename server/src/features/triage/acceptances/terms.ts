/** What a command says of an acceptance, and what the workspace demands. */
import type { Acceptance, AcceptanceRequirement } from '../../../formats/acceptances.ts'
import { addMs, DAY_MS, parseInstant } from '../../../formats/instants.ts'
import { AppError, type FieldError, invalid } from '../../../platform/errors.ts'

export interface StatedConditions {
  knownExploited?: boolean
  epssAbove?: number | null
  devicesAbove?: number | null
  fixAvailable?: boolean
}

/** As a request has it. */
export interface StatedAcceptance {
  reason?: string
  ownerId?: string | null
  until?: string | null
  conditions?: StatedConditions
}

type Terms = Pick<StatedAcceptance, 'reason' | 'ownerId' | 'until'>

const DEMANDS: Record<AcceptanceRequirement, { field: keyof Terms; name: string }> = {
  Reason: { field: 'reason', name: 'a reason' },
  Owner: { field: 'ownerId', name: 'an owner' },
  End: { field: 'until', name: 'an end' },
}

/** Throws, naming all that the workspace demands and that is not said. */
export function requireTerms(
  requirements: readonly AcceptanceRequirement[],
  stated: Terms | undefined,
  pointer = '/acceptance',
): void {
  const missing = requirements.filter((one) => !isSaid(stated?.[DEMANDS[one].field]))
  if (missing.length === 0) return
  const names = missing.map((one) => DEMANDS[one].name).join(', ')
  const errors: FieldError[] = missing.map((one) => ({
    pointer: `${pointer}/${DEMANDS[one].field}`,
    detail: 'is missing, and the workspace demands it',
  }))
  throw new AppError(
    'invalid',
    'acceptance-incomplete',
    `This workspace accepts no risk without ${names}; nothing was changed.`,
    errors,
  )
}

const isSaid = (value: unknown) =>
  typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null

const MOST_YEARS_AHEAD = 100

/** The instant as it is stored; null: there is no end. */
export function readEnd(
  until: string | null | undefined,
  now: Date,
  pointer = '/acceptance/until',
): string | null {
  if (until === undefined || until === null) return null
  const end = parseInstant(until, pointer)
  if (end <= now) throw invalid(`The end ${until} is in the past.`, pointer)
  if (end > addMs(now, MOST_YEARS_AHEAD * 366 * DAY_MS))
    throw invalid(`The end ${until} is more than ${MOST_YEARS_AHEAD} years ahead.`, pointer)
  return end.toISOString()
}

export function readConditions(stated: StatedConditions = {}): Acceptance['conditions'] {
  const {
    knownExploited = true,
    epssAbove = null,
    devicesAbove = null,
    fixAvailable = false,
  } = stated
  return { knownExploited, epssAbove, devicesAbove, fixAvailable }
}

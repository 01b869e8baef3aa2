/** Why attempts of a job failed, in words that tell nothing of other tenants: messages of errors may name their rows. */

export interface JobFailure {
  /** Attempts that have failed. */
  attempts: number
  /** For people; the log has the cause. */
  reason: string
  job: string
}

/** The process ended, or lost the database, before it could say why. */
export const ENDED_EARLY = 'the worker ended before it was done'

/** By SQLSTATE, or by its class (PostgreSQL, appendix A). */
const DATABASE_REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^57014$/, 'a statement of the database took too long'],
  [/^(?:40P01|40001|55P03)$/, 'another change held what it needs'],
  [/^53100$/, 'the database has no space left'],
  [/^53200$/, 'the database has too little memory'],
  [/^(?:08|57P|53)/, 'the database could not be reached'],
  [/^(?:ECONN|ETIMEDOUT|EPIPE|ENOTFOUND)/, 'the database or the file store could not be reached'],
  [/^ENOSPC$/, 'no space is left on the disk'],
]

export function describeFailure(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  const known = DATABASE_REASONS.find(([pattern]) => typeof code === 'string' && pattern.test(code))
  if (known) return known[1]
  return `an internal error (${typeof name === 'string' && /^\w+$/.test(name) ? name : 'Error'})`
}

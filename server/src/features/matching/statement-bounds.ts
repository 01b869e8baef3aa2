/** Which bounds a statement names: records that name them clearly outrank others (docs/design/matching.md). */
import type { AffectedStatement, VersionStatement } from '../../formats/advisories/model.ts'
import type { Evidence, StatementExcerpt } from './evidence.ts'

/** What an unaffected verdict rests on. */
export function judgeClarity(
  statement: AffectedStatement,
  decidedBy: VersionStatement | undefined,
): Pick<Evidence, 'isBounded' | 'isEnclosed'> {
  return {
    ...(isBounding(statement, decidedBy) && { isBounded: true }),
    ...(isEnclosing(statement, decidedBy) && { isEnclosed: true }),
  }
}

/**
 * Whether nothing that the record says bounds the affected versions: `*`, or "every version not named is affected" where no range is named as
 * not affected. Such records were written before a repair, or by somebody who did not look for one.
 */
export function boundsNothing(
  { versions, hasOtherBounds }: Pick<StatementExcerpt, 'versions' | 'hasOtherBounds'>,
  { verdict, decidedBy }: DecidingStatement,
): boolean {
  if (verdict !== 'affected') return false
  if (decidedBy) return isUnbounded(decidedBy)
  if (hasOtherBounds) return false
  return !versions.some((entry) => entry.status !== 'affected' && !entry.versions)
}

/** What an excerpt without the entries that did not decide must tell of them, so that it means the same. */
export function noteOtherBounds(
  statement: AffectedStatement,
  outcome: DecidingStatement,
): Pick<StatementExcerpt, 'hasOtherBounds'> {
  const isByDefault = outcome.verdict === 'affected' && outcome.decidedBy === undefined
  return isByDefault && !boundsNothing(statement, outcome) ? { hasOtherBounds: true } : {}
}

interface DecidingStatement {
  verdict: string
  decidedBy: VersionStatement | undefined
}

function isUnbounded(entry: VersionStatement | undefined): boolean {
  if (entry === undefined) return false
  const { versions, introduced, introducedAfter, fixed, lastAffected } = entry
  const isFromStart = introduced === undefined || introduced === '0'
  return (
    !versions &&
    isFromStart &&
    [introducedAfter, fixed, lastAffected].every((bound) => bound === undefined)
  )
}

/** `>= 4.8` without an end: such records were often written before the repair, and not updated since. */
export function isOpenEnded(entry: VersionStatement | undefined): boolean {
  return (
    entry !== undefined &&
    !isUnbounded(entry) &&
    [entry.versions, entry.fixed, entry.lastAffected].every((bound) => bound === undefined)
  )
}

/** Whether the statement bounds the affected versions; a list of single versions does not. */
function isBounding(
  { versions }: AffectedStatement,
  decidedBy: VersionStatement | undefined,
): boolean {
  return (decidedBy ? [decidedBy] : versions).some(
    (entry) =>
      entry.fixed !== undefined ||
      entry.lastAffected !== undefined ||
      (entry.status === 'unaffected' && !entry.versions && !isUnbounded(entry)),
  )
}

/** Whether the statement names both ends of the affected versions, or the unaffected ones that decided. */
function isEnclosing(
  { versions }: AffectedStatement,
  decidedBy: VersionStatement | undefined,
): boolean {
  if (decidedBy) return decidedBy.versions === undefined && !isUnbounded(decidedBy)
  return versions.some(
    (entry) =>
      entry.status === 'affected' &&
      ((entry.introduced ?? '0') !== '0' || entry.introducedAfter !== undefined) &&
      (entry.fixed ?? entry.lastAffected) !== undefined,
  )
}

/** The versions that a statement names. */
export function listBounds({ versions }: Pick<AffectedStatement, 'versions'>): string[] {
  return versions.flatMap(
    ({ versions: exact = [], introduced, introducedAfter, fixed, lastAffected }) =>
      [...exact, introduced, introducedAfter, fixed, lastAffected].filter(
        (bound) => bound !== undefined,
      ),
  )
}

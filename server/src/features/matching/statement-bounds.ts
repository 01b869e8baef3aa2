/** Which bounds a statement names: records that name them clearly outrank others (docs/design/matching.md). */
import type { AffectedStatement, VersionStatement } from '../../formats/advisories/model.ts'
import type { Evidence } from './evidence.ts'

/** What an unaffected verdict rests on. */
export function clarityOf(
  statement: AffectedStatement,
  decidedBy: VersionStatement | undefined,
): Pick<Evidence, 'isBounded' | 'isEnclosed'> {
  return {
    ...(isBounding(statement, decidedBy) && { isBounded: true }),
    ...(isEnclosing(statement, decidedBy) && { isEnclosed: true }),
  }
}

export function isUnbounded(entry: VersionStatement | undefined): boolean {
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
export function boundsOf({ versions }: Pick<AffectedStatement, 'versions'>): string[] {
  return versions.flatMap(
    ({ versions: exact = [], introduced, introducedAfter, fixed, lastAffected }) =>
      [...exact, introduced, introducedAfter, fixed, lastAffected].filter(
        (bound) => bound !== undefined,
      ),
  )
}

/**
 * Ranges whose beginning a record leaves out. Prose such as "fixed in 7.83.1", what CISA derives from it, and Bitnami's
 * records begin with the first version only because nobody looked for the first affected one.
 */
import type { AffectedPackage, AffectedStatement, VersionStatement } from './model.ts'

export function withUnstatedStart(entry: VersionStatement): VersionStatement {
  const { status, versions, introduced, introducedAfter } = entry
  const isOpen = (introduced ?? '0') === '0' && introducedAfter === undefined
  return status === 'affected' && versions === undefined && isOpen
    ? { ...entry, startIsUnstated: true }
    : entry
}

export function withStart(entry: VersionStatement, introduced: string): VersionStatement {
  const begun = { ...entry, introduced }
  delete begun.startIsUnstated
  return begun
}

/** For publishers who do not look for the first affected version. */
export function withUnstatedStarts(affected: AffectedPackage[]): AffectedPackage[] {
  return affected.map(({ key, statements }) => ({
    key,
    statements: statements.map(openUnstatedStarts),
  }))
}

export function openUnstatedStarts(statement: AffectedStatement): AffectedStatement {
  return { ...statement, versions: statement.versions.map(withUnstatedStart) }
}

import type { Reaction } from '../../platform/context.ts'
import type { ChangedMatch, JudgedPackage } from './changed-match.ts'

export interface MatchChanges {
  changes: readonly ChangedMatch[]
  judged: readonly JudgedPackage[]
}

declare module '../../platform/context.ts' {
  interface Reactions {
    /** Open matches began, ended or became another, or packages became judged or no longer are; all are locked exclusively. */
    matchesChanged: Reaction<MatchChanges & { at: Date }>
    /** Records about these packages changed, and they were matched again. */
    recordsMatched: Reaction<{ packageIds: readonly string[] }>
  }
}

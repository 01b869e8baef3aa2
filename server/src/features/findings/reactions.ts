import type { Reaction } from '../../platform/context.ts'
import type { ChangedMatches } from './counters-store.ts'

/** Findings of a workspace that begin: of packages a version holds since an instant, or of matches that begin. */
export type NewFindings = { workspaceId: string } & (
  | { firmwareVersionId: string; at: Date }
  | { packageIds: readonly string[]; vulnerabilityIds: readonly string[] }
)

declare module '../../platform/context.ts' {
  interface Reactions {
    /**
     * Nobody has decided yet about these findings. Their packages are locked exclusively, or the firmware version is
     * locked and its packages are shared.
     */
    findingsBegun: Reaction<NewFindings>
    /** Before findings begin with these matches; their packages are locked exclusively. */
    matchesMoving: Reaction<ChangedMatches>
  }
}

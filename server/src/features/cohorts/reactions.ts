import type { AppContext, Reaction } from '../../platform/context.ts'

export interface CohortMove {
  deviceId: string
  before: string | null
  after: string | null
  byRule: boolean
}

declare module '../../platform/context.ts' {
  interface Reactions {
    /** Devices moved from one cohort to another, or out of one. They are locked, and their cohorts shared. */
    cohortMembersMoved: Reaction<
      { workspaceId: string; moves: readonly CohortMove[] },
      Pick<AppContext, 'now'>
    >
    /** A cohort without an active deployment is about to be deleted. */
    cohortDeleting: Reaction<{ workspaceId: string; cohortId: string }>
  }
}

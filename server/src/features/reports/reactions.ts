import type { AppContext } from '../../platform/context.ts'

export interface FiringAlerts {
  count: number
  /** How many of these alerts are silenced, so that nobody is told of them. */
  silenced: number
  /** The id of the newest one. */
  incidentId: string | null
  ruleName: string | null
}

declare module '../../platform/context.ts' {
  interface Reactions {
    /** A question rather than a reaction: what is firing now. */
    summariseFiringAlerts: (
      ctx: AppContext,
      asked: { workspaceId: string },
    ) => Promise<FiringAlerts>
  }
}

import type { AppContext } from '../../platform/context.ts'
import type { FiringAlerts } from './overview/needs.ts'

declare module '../../platform/context.ts' {
  interface Reactions {
    /** A question rather than a reaction: what is firing now. */
    summariseFiringAlerts: (
      ctx: AppContext,
      asked: { workspaceId: string },
    ) => Promise<FiringAlerts>
  }
}

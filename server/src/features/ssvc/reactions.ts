import type { Reaction } from '../../platform/context.ts'

declare module '../../platform/context.ts' {
  interface Reactions {
    /** The workspace states something else for SSVC. */
    ssvcChanged: Reaction<{ workspaceId: string }>
  }
}

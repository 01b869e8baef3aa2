import type { AppContext, Reaction } from '../../platform/context.ts'
import type { GateFacts } from './mark/mark.ts'

/** Firmware versions to which slugs, names or build ids lead now, or led before. */
export interface VersionsNamed {
  workspaceId: string
  firmwareVersionIds: readonly string[]
}

declare module '../../platform/context.ts' {
  interface Reactions {
    /** The caller holds the lock on the names of versions. */
    versionsNamed: Reaction<VersionsNamed>
    /** Firmware versions are about to be deleted. They are locked, and their packages are shared. */
    versionsDeleting: Reaction<{ workspaceId: string; firmwareVersionIds: readonly string[] }>
    /** A question rather than a reaction: what the release gate asks of versions beside their counters, by id. Versions without are asked for nothing. */
    listGateFacts: (
      ctx: Pick<AppContext, 'db' | 'now'>,
      /** Without ids: of all versions. */
      asked: { workspaceId: string; firmwareVersionIds?: readonly string[] },
    ) => Promise<ReadonlyMap<string, GateFacts>>
  }
}

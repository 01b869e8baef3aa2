import type { Reaction } from '../../platform/context.ts'

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
  }
}

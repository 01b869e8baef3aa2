import type { Actor } from '../../platform/actor.ts'
import type { Reaction } from '../../platform/context.ts'

declare module '../../platform/context.ts' {
  interface Reactions {
    /** What one command decided was taken back, of some of its findings at least. */
    decisionsUndone: Reaction<{ workspaceId: string; batchId: string; actor: Actor }>
  }
}

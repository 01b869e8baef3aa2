import type { Actor } from '../../platform/actor.ts'
import type { Reaction } from '../../platform/context.ts'

/** What one command decided was taken back, of some of its findings at least. */
export interface DecisionsUndone {
  workspaceId: string
  batchId: string
  actor: Actor
}

declare module '../../platform/context.ts' {
  interface Reactions {
    decisionsUndone: Reaction<DecisionsUndone>
  }
}

import type { Role } from '../../formats/roles.ts'
import type { Actor } from '../../platform/actor.ts'
import type { Reaction } from '../../platform/context.ts'

/** Somebody is no member of the workspace any more, or has another role there. */
export interface MemberChanged {
  workspaceId: string
  personId: string
  /** null: removed. */
  role: Role | null
  /** Who takes the accepted risks that the member looks after; undefined: nobody is named. */
  acceptancesToId?: string | undefined
  actor: Actor
}

/** A member is about to leave, and another takes what they look after. */
export interface MemberLeaving {
  workspaceId: string
  personId: string
  toId: string
  actor: Actor
}

interface Settings {
  defaultLogSeverity: string | null
}

declare module '../../platform/context.ts' {
  interface Reactions {
    settingsChanged: Reaction<{ workspaceId: string; before: Settings; after: Settings }>
    /** Before members are locked, and before it is known whether they may be removed. */
    memberLeaving: Reaction<MemberLeaving>
    memberChanged: Reaction<MemberChanged>
  }
}

import type { Actor } from '../../platform/actor.ts'
import type { Scope } from './scopes.ts'

/** A session or a key: someone with scopes in one workspace. */
export interface Principal {
  workspaceId: string
  scopes: ReadonlySet<Scope>
  actor: Actor
}

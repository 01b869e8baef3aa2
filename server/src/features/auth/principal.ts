import type { Actor } from '../../platform/actor.ts'
import type { Scope } from './scopes.ts'

/** Who makes a request: a session or a key, with its scopes in one workspace. */
export interface Principal {
  workspaceId: string
  scopes: ReadonlySet<Scope>
  actor: Actor
}

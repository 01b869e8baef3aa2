import type { Actor } from '../../platform/actor.ts'
import type { Role } from '../../formats/roles.ts'
import type { Scope } from './scopes.ts'

/** Who makes a request: a session or a key, with its scopes in one workspace. */
export interface Principal {
  workspaceId: string
  scopes: ReadonlySet<Scope>
  actor: Actor
  /** undefined: a key. */
  role: Role | undefined
  /** A key of `plimsoll login`, which a person has approved for a terminal. */
  isLogin?: boolean
  /** The session has shown two factors. Keys need none. */
  hasSecondFactor: boolean
}

export const SIGN_IN_METHODS = ['Password', 'Passkey', 'Provider', 'Link'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

/** `Outstanding`: the session opens nothing before the second step. */
export type SecondFactorState = 'None' | 'Outstanding' | 'Done'

/** The person of a session. */
export interface SignedIn {
  sessionId: string
  personId: string
  email: string
  displayName: string
  method: SignInMethod
  secondFactor: SecondFactorState
  /** When the session showed its second factor last; null: never. */
  secondFactorAt: Date | null
  actor: Actor
}

/** Where a request comes from, for lists of sessions, limits and the audit log. */
export interface Visitor {
  address: string
  userAgent: string | undefined
  requestId: string
}

/** Who did something: the author of an audit entry or of a timeline entry. */
export const ACTOR_TYPES = ['User', 'ApiKey', 'Operator', 'System'] as const

export interface Actor {
  type: (typeof ACTOR_TYPES)[number]
  id: string | undefined
  /** A person's address, or that of the person who made the key. */
  email: string | undefined
  /** Joins the entry with the log of the request that caused it. */
  requestId: string | undefined
}

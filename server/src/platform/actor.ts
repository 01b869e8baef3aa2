/** Who did something: the author of an audit entry or of a timeline entry. */
export const ACTOR_TYPES = ['User', 'ApiKey', 'Operator', 'System', 'Device'] as const

export interface Actor {
  type: (typeof ACTOR_TYPES)[number]
  id: string | undefined
  /** The address of the person, or of the person who made the key. */
  email: string | undefined
  /** Connects the entry with the log of the request. */
  requestId: string | undefined
}

/** Who acts by `npm run admin`, or by a program on the same machine. */
export const OPERATOR = {
  type: 'Operator',
  id: undefined,
  email: undefined,
  requestId: undefined,
} as const satisfies Actor

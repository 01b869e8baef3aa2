import { Type } from 'typebox'

/** Brokers send further fields, which are ignored. */
const Credentials = { username: Type.Optional(Type.String()) }

export const BrokerSecret = Type.Object({ secret: Type.Optional(Type.String()) })

export const AuthRequest = Type.Object({
  ...Credentials,
  password: Type.Optional(Type.String()),
})

export const SuperuserRequest = Type.Object(Credentials)

/** mosquitto-go-auth states `acc`, EMQX `action`. */
export const AclRequest = Type.Object({
  ...Credentials,
  topic: Type.String(),
  acc: Type.Optional(Type.Integer({ minimum: 1, maximum: 4 })),
  action: Type.Optional(Type.Enum(['publish', 'subscribe'])),
})

/** `result` and `is_superuser` are EMQX's words, `ok` and `error` are mosquitto-go-auth's. */
export const AuthAnswer = Type.Object({
  result: Type.Enum(['allow', 'deny']),
  is_superuser: Type.Boolean(),
  ok: Type.Boolean(),
  error: Type.String(),
})

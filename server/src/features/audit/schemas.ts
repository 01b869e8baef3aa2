import { Type } from 'typebox'
import { ACTOR_TYPES } from '../../platform/actor.ts'
import { Nullable, Shape, Timestamp } from '../../platform/http/schemas.ts'

const filter = {
  actor: Type.Optional(Type.String({ description: 'The e-mail address or the id of the actor' })),
  action: Type.Optional(Type.String({ examples: ['sbom.delete'] })),
  resourceType: Type.Optional(Type.String({ examples: ['sbom'] })),
  resourceId: Type.Optional(Type.String()),
  from: Type.Optional(Type.String({ format: 'date-time' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive' })),
  contains: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Text in any case, in who, what, before or after',
    }),
  ),
}

export const AuditLogQuery = Type.Object(
  {
    ...filter,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    cursor: Type.Optional(Type.String({ maxLength: 4096 })),
  },
  { additionalProperties: false },
)

const AUDIT_FORMATS = ['csv', 'jsonl'] as const

export const AuditLogExportQuery = Type.Object(
  { ...filter, format: Type.Optional(Type.Enum([...AUDIT_FORMATS], { default: 'csv' })) },
  { additionalProperties: false },
)

export const AuditLogPage = Shape('AuditLogPage', {
  entries: Type.Array(
    Shape('AuditLogEntry', {
      id: Type.String(),
      createdAt: Timestamp,
      actorType: Type.Enum([...ACTOR_TYPES]),
      actorId: Nullable(Type.String()),
      actorEmail: Nullable(Type.String()),
      action: Type.String({ examples: ['firmware.create'] }),
      resourceType: Type.String({ examples: ['firmware'] }),
      resourceId: Type.String(),
      before: Type.Unknown(),
      after: Type.Unknown(),
      requestId: Nullable(Type.String()),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

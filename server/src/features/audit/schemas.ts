import { Type } from 'typebox'
import { ACTOR_TYPES } from '../../platform/actor.ts'
import { Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { AUDIT_KINDS } from './kinds.ts'
import { SUBJECT_TYPES } from './subjects.ts'

const AuditSubjectType = OneOf('AuditSubjectType', SUBJECT_TYPES)
const AuditKinds = OneOf('AuditKind', AUDIT_KINDS)
const ActorType = OneOf('ActorType', ACTOR_TYPES)

const filter = {
  actor: Type.Optional(Type.String({ description: 'The e-mail address or the id of the actor' })),
  actorType: Type.Optional(ActorType),
  action: Type.Optional(Type.String({ examples: ['sbom.delete'] })),
  kind: Type.Optional(AuditKinds),
  kinds: Type.Optional(
    Type.String({
      maxLength: 300,
      examples: ['Decision,Deployment'],
      description: 'Any of these kinds, with commas between them',
    }),
  ),
  subject: Type.Optional(
    Type.String({
      maxLength: 600,
      examples: ['vulnerability:CVE-2026-31431'],
      description:
        'What the entries are about, or which member or key made them: its type and its id with a colon between them',
    }),
  ),
  resourceType: Type.Optional(Type.String({ examples: ['sbom'] })),
  resourceId: Type.Optional(Type.String()),
  from: Type.Optional(Type.String({ format: 'date-time' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive' })),
  contains: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Text in any case, in who, what, before, after, or the name of a subject',
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

/** The filter, for what counts all that it selects. */
export const AuditLogCountsQuery = Type.Object(filter, { additionalProperties: false })

/** So many are named; those with most entries come first. */
export const MOST_ACTORS = 200

export const AuditLogCounts = Shape('AuditLogCounts', {
  count: Type.Integer({ description: 'Number of entries' }),
  peopleCount: Type.Integer({ description: 'Number of people who made them' }),
  apiKeyCount: Type.Integer({ description: 'Number of keys that made them' }),
  kinds: Type.Array(
    Shape('AuditKindCount', {
      kind: Nullable(AuditKinds, { description: 'null: this release does not know the actions' }),
      count: Type.Integer(),
    }),
    { description: 'Those with most entries first' },
  ),
  actors: Type.Array(
    Shape('AuditActorCount', {
      actorType: ActorType,
      actorId: Nullable(Type.String()),
      actorEmail: Nullable(Type.String()),
      name: Nullable(Type.String(), { description: 'What they were called last' }),
      count: Type.Integer(),
    }),
    { description: `The ${MOST_ACTORS} with most entries` },
  ),
})

export const AuditLogEntry = Shape('AuditLogEntry', {
  id: Type.String(),
  createdAt: Timestamp,
  actorType: ActorType,
  actorId: Nullable(Type.String()),
  actorEmail: Nullable(Type.String()),
  action: Type.String({ examples: ['firmware.create'] }),
  resourceType: Type.String({ examples: ['firmware'] }),
  resourceId: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
  requestId: Nullable(Type.String()),
  kind: Nullable(AuditKinds, { description: 'null: this release does not know the action' }),
  summary: Type.String({
    description: 'One sentence: who did what',
    examples: ['Mara Lindqvist created the firmware gateway'],
  }),
  parts: Type.Array(
    Shape('AuditSummaryPart', {
      text: Type.String(),
      subject: Type.Optional(
        Shape('AuditSubjectKey', { type: AuditSubjectType, id: Type.String() }),
      ),
    }),
    { description: 'The pieces of the summary; those with a subject are its name' },
  ),
  note: Nullable(Type.String(), { description: 'What somebody wrote to it' }),
  subjects: Type.Array(
    Shape('AuditSubject', {
      type: AuditSubjectType,
      id: Type.String(),
      name: Nullable(Type.String(), {
        description: 'What it was called then; null: nobody wrote it down',
      }),
    }),
    {
      description:
        'Who did it, and what it is about: of each type the first five. The filter finds the entry by all, up to a thousand.',
    },
  ),
})

export const AuditLogPage = Shape('AuditLogPage', {
  entries: Type.Array(AuditLogEntry),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

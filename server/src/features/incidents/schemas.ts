import { Type } from 'typebox'
import { Exactly, Nullable, PageRequest, Timestamp } from '../../platform/http/schemas.ts'
import { Condition, RULE_TYPES } from '../alert-rules/index.ts'
import { END_CAUSES } from './store.ts'

const Time = Type.String({ format: 'date-time' })

export const ListAlertIncidentsCommand = Exactly(
  {
    ...PageRequest,
    filter: Type.Optional(
      Exactly({
        alertRuleIds: Type.Optional(
          Type.Array(Type.String({ maxLength: 200 }), {
            maxItems: 1_000,
            description: 'Any of them',
          }),
        ),
        isOpen: Type.Optional(Type.Boolean({ description: 'Whether it lasts' })),
        from: Type.Optional(
          Type.String({ format: 'date-time', description: 'It began not before' }),
        ),
        to: Type.Optional(Time),
      }),
    ),
  },
  { examples: [{ limit: 100, filter: { isOpen: true } }] },
)

export const AlertIncident = Type.Object({
  id: Type.String(),
  alertRule: Type.Object(
    { id: Type.String(), name: Type.String(), type: Type.Enum([...RULE_TYPES]) },
    { description: 'As it was when the incident began; it may be gone' },
  ),
  condition: Condition,
  beganAt: Timestamp,
  endedAt: Nullable(Timestamp, { description: 'null while it lasts' }),
  endedCause: Nullable(Type.Enum([...END_CAUSES])),
  acknowledgedAt: Nullable(Timestamp),
  acknowledgedByEmail: Nullable(Type.String()),
  seriesCount: Type.Integer({ description: 'Series that fired in it' }),
  firingSeriesCount: Type.Integer({ description: 'Those that fire now' }),
})

export const AlertIncidentPage = Type.Object({
  incidents: Type.Array(AlertIncident),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const ListIncidentSeriesCommand = Exactly(PageRequest, { examples: [{ limit: 100 }] })

export const IncidentSeriesPage = Type.Object({
  series: Type.Array(
    Type.Object({
      series: Type.String({
        description: 'A device, a finding, a source, a deployment; empty: all devices together',
      }),
      label: Nullable(Type.String(), { description: 'What a person calls it' }),
      since: Timestamp,
      until: Nullable(Timestamp, { description: 'null while it fires' }),
      value: Nullable(Type.Number(), { description: 'When it began to fire' }),
    }),
    { description: 'Each as often as it fired, those that fire first' },
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

import { Type } from 'typebox'
import {
  Exactly,
  Nullable,
  OneOf,
  PageRequest,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { Condition, RULE_TYPES } from '../alert-rules/index.ts'
import { END_CAUSES } from './store.ts'

export const ListAlertIncidentsCommand = Exactly(
  {
    ...PageRequest,
    filter: Type.Optional(
      Exactly({
        alertRuleIds: Type.Optional(
          Type.Array(Type.String({ maxLength: 200 }), {
            maxItems: 1_000,
            description: 'Incidents of any of these rules',
          }),
        ),
        isOpen: Type.Optional(Type.Boolean({ description: 'Whether the incident is open' })),
        from: Type.Optional(
          Type.String({
            format: 'date-time',
            description: 'The incident began at or after this instant',
          }),
        ),
        to: Type.Optional(
          Type.String({
            format: 'date-time',
            description: 'The incident began before this instant',
          }),
        ),
      }),
    ),
  },
  { examples: [{ limit: 100, filter: { isOpen: true } }] },
)

export const AlertIncident = Shape('AlertIncident', {
  id: Type.String(),
  alertRule: Type.Object(
    { id: Type.String(), name: Type.String(), type: OneOf('AlertRuleType', RULE_TYPES) },
    { description: 'The rule as it was when the incident began; it may have been deleted since' },
  ),
  condition: Condition,
  conditionText: Type.String({ description: 'The condition as a sentence without a full stop' }),
  beganAt: Timestamp,
  endedAt: Nullable(Timestamp, { description: 'null while the incident is open' }),
  endedCause: Nullable(Type.Enum([...END_CAUSES])),
  acknowledgedAt: Nullable(Timestamp),
  acknowledgedByEmail: Nullable(Type.String()),
  seriesCount: Type.Integer({ description: 'Series that fired in the incident' }),
  firingSeriesCount: Type.Integer({ description: 'Series that are firing now' }),
})

export const AlertIncidentPage = Shape('AlertIncidentPage', {
  incidents: Type.Array(AlertIncident),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const ListIncidentSeriesCommand = Exactly(PageRequest, { examples: [{ limit: 100 }] })

export const IncidentSeriesPage = Shape('IncidentSeriesPage', {
  series: Type.Array(
    Shape('AlertIncidentSeries', {
      series: Type.String({
        description:
          'The id of a device, finding, source or deployment; empty: all devices together',
      }),
      label: Nullable(Type.String(), { description: 'A name for people' }),
      since: Timestamp,
      until: Nullable(Timestamp, { description: 'null while the series is firing' }),
      value: Nullable(Type.Number(), {
        description: 'The value when the series began to be firing',
      }),
      valueText: Nullable(Type.String(), { description: 'The same with its unit, for people' }),
    }),
    { description: 'Each series once for each time it fired; firing ones first' },
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const UndoAcknowledgementCommand = Exactly(
  {
    acknowledgedAt: Type.String({
      format: 'date-time',
      description: 'As the answer of …/acknowledge has it, so that the one of somebody else stays',
    }),
  },
  { examples: [{ acknowledgedAt: '2026-07-21T06:14:38.094Z' }] },
)

import { Type } from 'typebox'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  PageRequest,
  Shape,
  Timestamp,
  totalCountFields,
} from '../../platform/http/schemas.ts'
import { Condition, RULE_TYPES } from '../alert-rules/index.ts'
import { ColleagueSchema } from '../discussions/index.ts'
import { CHANGE_KINDS } from './changes/store.ts'
import { END_CAUSES } from './store.ts'

export const AlertIncidentFilter = ExactShape('AlertIncidentFilter', {
  alertRuleIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 1_000,
      description: 'Incidents of any of these rules',
    }),
  ),
  assigneeIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 100,
      description: 'Ids of members (`subjectId`) of whom one looks after it',
    }),
  ),
  assigned: Type.Optional(Type.Boolean({ description: 'Whether any member looks after it' })),
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
})

export const ListAlertIncidentsCommand = Exactly(
  {
    ...PageRequest,
    filter: Type.Optional(AlertIncidentFilter),
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
  note: Nullable(Type.String(), { description: 'What is done about it, or was' }),
  notedAt: Nullable(Timestamp),
  notedByEmail: Nullable(Type.String()),
  assignee: Nullable(ColleagueSchema, {
    description: 'The member who looks after it; null: nobody',
  }),
  silencedUntil: Nullable(Timestamp, {
    description:
      'Until when nobody is told of it, as all that is firing now is silenced; null: people are told, or it has ended',
  }),
  seriesCount: Type.Integer({ description: 'Series that fired in the incident' }),
  firingSeriesCount: Type.Integer({ description: 'Series that are firing now' }),
})

export const AlertIncidentPage = Shape('AlertIncidentPage', {
  incidents: Type.Array(AlertIncident),
  ...totalCountFields,
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
      runs: Type.Array(
        Shape('SeriesFirmware', {
          slug: Type.String(),
          version: Type.String(),
          firmwareVersionId: Nullable(Type.String(), { description: 'null: not registered' }),
        }),
        { description: 'What the device reports to run now; empty for what is no device' },
      ),
    }),
    { description: 'Each series once for each time it fired; firing ones first' },
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

const ChangeId = Nullable(Type.String())

export const IncidentChanges = Shape('AlertIncidentChanges', {
  from: Timestamp,
  to: Timestamp,
  areDevices: Type.Boolean({
    description: 'Whether what fired are devices; otherwise it is not known what changed',
  }),
  changes: Type.Array(
    Shape('AlertIncidentChange', {
      kind: OneOf('AlertIncidentChangeKind', CHANGE_KINDS),
      firstAt: Timestamp,
      lastAt: Timestamp,
      deviceCount: Type.Integer({ description: 'Of the devices that fired in the incident' }),
      deviceIds: Type.Array(Type.String(), { description: 'The first three' }),
      id: { ...ChangeId, description: 'Of the firmware version, deployment or incident' },
      deploymentCohortId: { ...ChangeId, description: 'Of the deployment' },
      name: { ...ChangeId, description: 'Of the firmware and version, the deployment or the rule' },
      state: { ...ChangeId, description: 'Of the deployment on these devices' },
    }),
    { description: 'Newest first, at most 50' },
  ),
  hasMore: Type.Boolean(),
})

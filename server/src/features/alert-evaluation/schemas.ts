import { Type } from 'typebox'
import { Exactly, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { EVALUATION_STATUSES } from '../alert-rules/index.ts'

export const DryRunQuery = Exactly({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 30,
      default: 1,
      description: 'How far back it looks. Points that are kept no longer are no data',
    }),
  ),
})

export const DryRun = Shape('AlertRuleDryRun', {
  conditionText: Type.String({ description: 'The condition as a sentence without a full stop' }),
  from: Nullable(Timestamp, {
    description: 'The first instant at which the rule would have been evaluated',
  }),
  to: Nullable(Timestamp, { description: 'The last instant' }),
  seriesCount: Type.Integer({ description: 'Series that the rule looks at' }),
  evaluations: Type.Object({
    count: Type.Integer(),
    ok: Type.Integer(),
    firing: Type.Integer(),
    noData: Type.Integer(),
    failed: Type.Integer(),
  }),
  incidents: Type.Array(
    Type.Object({
      beganAt: Timestamp,
      endedAt: Nullable(Timestamp, { description: 'null: it would still be open' }),
      seriesCount: Type.Integer(),
    }),
  ),
  timeline: Type.Array(
    Shape('AlertRuleDryRunStretch', {
      from: Timestamp,
      to: Timestamp,
      status: OneOf('EvaluationStatus', EVALUATION_STATUSES),
      firingCount: Type.Integer(),
    }),
    { description: 'Equal evaluations in a row, as one; `to` is the instant of the last' },
  ),
  firingSeriesCount: Type.Integer(),
  firingSeries: Type.Array(
    Type.Object({
      series: Type.String({
        description:
          'The id of a device, finding, source or deployment; empty: all devices together',
      }),
      label: Nullable(Type.String()),
      firingSeconds: Type.Integer(),
      firstAt: Timestamp,
      lastAt: Timestamp,
    }),
    { description: 'The 100 series that would have fired longest' },
  ),
})

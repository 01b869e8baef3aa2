import { Type } from 'typebox'
import { Nullable, Timestamp } from '../../platform/http/schemas.ts'
import { EVALUATION_STATUSES } from '../alert-rules/index.ts'

export const DryRun = Type.Object({
  from: Nullable(Timestamp, { description: 'The first turn the rule would have had' }),
  to: Nullable(Timestamp, { description: 'The last' }),
  seriesCount: Type.Integer({ description: 'Series of metrics the rule looks at' }),
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
      endedAt: Nullable(Timestamp, { description: 'null: it would last still' }),
      seriesCount: Type.Integer(),
    }),
  ),
  timeline: Type.Array(
    Type.Object({
      from: Timestamp,
      to: Timestamp,
      status: Type.Enum([...EVALUATION_STATUSES]),
      firingCount: Type.Integer(),
    }),
    { description: 'Turns that follow each other and are alike, as one; `to` is the last of them' },
  ),
  firingSeriesCount: Type.Integer(),
  firingSeries: Type.Array(
    Type.Object({
      series: Type.String({
        description:
          'A device, or all together: empty; else the id of a finding, a source, a deployment',
      }),
      label: Nullable(Type.String()),
      firingSeconds: Type.Integer(),
      firstAt: Timestamp,
      lastAt: Timestamp,
    }),
    { description: 'The hundred that would have fired longest' },
  ),
})

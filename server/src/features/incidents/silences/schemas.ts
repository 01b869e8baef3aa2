import { Type } from 'typebox'
import { Exactly, Nullable, PageRequest, Shape, Timestamp } from '../../../platform/http/schemas.ts'
import { COVERS } from './store.ts'

const MOST_CHARACTERS = 1_000
export const MOST_DAYS = 90

export const SilenceCommand = Exactly(
  {
    until: Type.String({
      format: 'date-time',
      description: `Nobody is told before; at most ${MOST_DAYS} days from now`,
    }),
    reason: Type.String({ minLength: 1, maxLength: MOST_CHARACTERS, pattern: '\\S' }),
    covers: Type.Optional(
      Type.Enum([...COVERS], {
        default: 'Series',
        description:
          'Series: what has fired in the incident up to now; people are told as soon as something else is firing. Rule: whatever is firing by its rule',
      }),
    ),
  },
  {
    examples: [
      {
        until: '2026-07-22T07:00:00.000Z',
        reason: 'Fan filters in hall 2 are due',
        covers: 'Series',
      },
    ],
  },
)

export const AlertSilence = Shape('AlertSilence', {
  id: Type.String(),
  alertRule: Type.Object({ id: Type.String(), name: Type.String() }),
  alertIncidentId: Type.String({ description: 'Where somebody asked for it' }),
  covers: Type.Enum([...COVERS], {
    description:
      'Series: what had fired in the incident when the silence began; Rule: whatever is firing by its rule',
  }),
  seriesCount: Nullable(
    Type.Integer({ description: 'Number of series that it covers; null: all of the rule' }),
  ),
  reason: Type.String(),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  until: Timestamp,
  isActive: Type.Boolean({
    description: 'It lasts, as neither its time is over nor anybody ended it',
  }),
  endedAt: Nullable(Timestamp, { description: 'When somebody ended it before its time' }),
  endedByEmail: Nullable(Type.String()),
})

export const ListSilencesQuery = Exactly({
  ...PageRequest,
  isActive: Type.Optional(Type.Enum(['true', 'false'], { description: 'Whether it lasts' })),
  alertIncidentId: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Those that were asked for there, or covered what fired in it while it lasted',
    }),
  ),
})

export const AlertSilencePage = Shape('AlertSilencePage', {
  silences: Type.Array(AlertSilence),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

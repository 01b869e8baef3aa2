import { Type } from 'typebox'
import { SEVERITIES } from '../../formats/advisories/model.ts'
import {
  Exactly,
  Nullable,
  OneOf,
  Reference,
  ReasonCount,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { FIGURES, GROUP_KINDS, UNITS } from './figure.ts'

export const FigureName = OneOf('FigureName', FIGURES)

const Day = Type.String({ format: 'date', examples: ['2026-09-30'] })

export const FiguresQuery = Exactly({
  from: Type.String({
    format: 'date',
    description: 'The first day (UTC) of the period, which has at most 800 days',
    examples: ['2026-07-01'],
  }),
  to: Type.Optional(
    Type.String({
      format: 'date',
      description: 'Its last day; default: today',
      examples: ['2026-09-30'],
    }),
  ),
  firmwareId: Type.Optional(Type.String({ description: 'Only this firmware' })),
  line: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Only versions that belong to this release line of the firmware now; a fix is then a later version of the line',
      examples: ['2.x LTS'],
    }),
  ),
})

const Value = Shape('FigureValue', {
  name: Type.String({ examples: ['median'] }),
  title: Type.String({ examples: ['Median'] }),
  unit: OneOf('FigureUnit', UNITS),
  value: Nullable(Type.Number(), {
    description: 'In the unit of the figure; null: there is no case',
  }),
  cases: Type.Integer({ description: 'How many cases it is made of' }),
})

const Figure = Shape('Figure', {
  id: FigureName,
  title: Type.String(),
  definition: Type.String(),
  values: Type.Array(Value),
  groups: Type.Array(
    Shape('FigureGroup', {
      by: OneOf('FigureGroupKind', GROUP_KINDS),
      key: Type.String({
        description:
          'A severity, an SSVC outcome, a month (2026-09), the id of a firmware, member or team, or an address; empty: nobody, `?`: it was not kept',
      }),
      name: Type.String(),
      values: Type.Array(Value),
    }),
    {
      description:
        'The same of a part of the cases: by severity, SSVC outcome, month, firmware, owner (`Owner`: the team or member whose findings they were on the day), and whoever decided or was named for an accepted risk (`Person`). A case of several owners is in the group of each',
    },
  ),
  notCounted: Type.Array(ReasonCount, {
    description: 'What the values do not tell, as nobody knows it or as it has not happened yet',
  }),
  knownSince: Nullable(Day, {
    description: 'The first day of which it is known; null: as long as there are records',
  }),
  list: Nullable(Type.String({ description: 'The path of the list behind it in the portal' })),
  listNote: Nullable(Type.String({ description: 'What that list does not show' })),
})

export const Figures = Shape('Figures', {
  from: Day,
  to: Day,
  isClosed: Type.Boolean({
    description: 'The period is over: what happens later does not change its figures',
  }),
  firmware: Nullable(Reference),
  line: Nullable(Type.String(), { description: 'The release line that was asked for' }),
  caseDefinition: Type.String({ description: 'What all figures count' }),
  deletedSince: Type.Integer({
    description:
      'Firmwares and versions that were deleted since the period began. What was known of them is gone, and in no figure',
  }),
  figures: Type.Array(Figure),
})

export const FigureCases = Shape('FigureCases', {
  cases: Type.Array(
    Shape('FigureCase', {
      measure: Type.String({ examples: ['Decided'] }),
      vulnerabilityId: Type.String(),
      firmware: Nullable(Reference, { description: 'null: of the whole fleet' }),
      severity: Nullable(Type.Enum([...SEVERITIES])),
      since: Timestamp,
      at: Timestamp,
      days: Nullable(Type.Number()),
      person: Nullable(
        Type.String({ description: 'Whoever decided, or was named for the accepted risk' }),
      ),
      owners: Nullable(Type.Array(Type.String()), {
        description:
          'The teams and members whose findings they were on the day; null: it was not kept',
      }),
    }),
    { description: 'The last 1,000, the newest first' },
  ),
  totalCount: Type.Integer(),
})

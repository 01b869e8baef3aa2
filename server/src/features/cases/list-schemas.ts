/** What cases are listed by, and what is done to many of them. */
import { Type } from 'typebox'
import { Exactly, Shape } from '../../platform/http/schemas.ts'
import { CaseState, CaseType, Reason } from './schemas.ts'

/** A query holds texts. */
const Flag = (description: string) => Type.Optional(Type.Enum(['true', 'false'], { description }))

export const CaseQuery = Exactly({
  state: Type.Optional(CaseState),
  isOpen: Flag('true: leave out what is closed or dismissed'),
  type: Type.Optional(CaseType),
  isDrill: Flag('true: drills only; false: without them'),
  isLate: Flag('true: only open cases with a report that is late'),
  listedBefore: Type.Optional(
    Type.String({
      format: 'date',
      description: 'Only cases whose vulnerability was listed as exploited before this day',
    }),
  ),
  cveId: Type.Optional(Type.String({ maxLength: 100 })),
})

export const DismissCasesCommand = Exactly(
  {
    caseIds: Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: 500,
      uniqueItems: true,
    }),
    reason: Reason,
  },
  {
    examples: [
      {
        caseIds: ['0199a1b2-0000-7000-8000-000000000001'],
        reason: 'Known before 11 September 2026.',
      },
    ],
  },
)
export const DismissedCases = Shape('DismissedCases', {
  dismissed: Type.Integer(),
  left: Type.Integer({ description: 'Closed, dismissed or open cases, which stay as they are' }),
})

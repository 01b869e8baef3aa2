import { Type } from 'typebox'
import { Exactly, Nullable } from '../../../platform/http/schemas.ts'

const MOST_CHARACTERS = 10_000
const Note = Type.String({ minLength: 1, maxLength: MOST_CHARACTERS, pattern: '\\S' })

export const AcknowledgeBody = Exactly(
  { note: Type.Optional(Note) },
  { examples: [{ note: 'Fan filters in hall 2 are due. Somebody looks at 07:00.' }] },
)

/** null: no body, as it was before there were notes. */
export const AcknowledgeCommand = Nullable(AcknowledgeBody)

export const NoteCommand = Exactly(
  { note: Nullable(Note, { description: 'null: none any more' }) },
  { examples: [{ note: 'The fan of hall 2 was replaced.' }] },
)

export const AssignIncidentCommand = Exactly(
  {
    subjectId: Nullable(Type.String({ format: 'uuid' }), {
      description: 'The member who looks after it from now on; null: nobody',
    }),
  },
  { examples: [{ subjectId: '0198c0de-0000-7000-8000-000000000001' }] },
)

export const UndoAcknowledgementCommand = Exactly(
  {
    acknowledgedAt: Type.String({
      format: 'date-time',
      description: 'As the answer of …/acknowledge has it, so that the one of somebody else stays',
    }),
  },
  { examples: [{ acknowledgedAt: '2026-07-21T06:14:38.094Z' }] },
)

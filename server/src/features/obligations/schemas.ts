import { Type } from 'typebox'
import { Replacing } from '../../platform/http/read-only.ts'
import { Exactly, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { OBLIGATION_BASES, OBLIGATION_IDS } from './obligations.ts'
import { OBLIGATION_PAGES } from './told-fact.ts'

const Text = (most: number, description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: most, pattern: '\\S' }), { description })

const written = {
  responsible: Text(200, 'Who answers for it; null: nobody has said'),
  dueOn: Nullable(Type.String({ format: 'date', examples: ['2027-03-01'] }), {
    description: 'By when it is done, or looked at again; null: nobody has said',
  }),
  text: Text(4000, 'How it is met outside of Plimsoll, in the words of the team'),
  link: Text(2000, 'Where that is kept: an address that begins with https:// or http://'),
}

const ObligationId = OneOf('ObligationId', OBLIGATION_IDS)

export const ObligationNote = Shape('ObligationNote', {
  id: ObligationId,
  ...written,
  updatedAt: Nullable(Timestamp, { description: 'null: nobody has written anything' }),
})

export const UpdateObligationNoteCommand = Replacing(
  Exactly(
    {
      responsible: Type.Optional(written.responsible),
      dueOn: Type.Optional(written.dueOn),
      text: Type.Optional(written.text),
      link: Type.Optional(written.link),
    },
    {
      examples: [
        {
          responsible: 'Vera Holm',
          dueOn: '2027-03-01',
          text: 'The risk assessment of the gateway covers it.',
          link: 'https://docs.example/risk-assessment',
        },
      ],
    },
  ),
  ObligationNote,
)

const ObligationFact = Shape('ObligationFact', {
  name: Type.String({ description: 'Stays the same, whatever the text says' }),
  text: Type.String(),
  count: Nullable(Type.Integer(), { description: 'null: not known, or no number tells it' }),
  total: Nullable(Type.Integer(), { description: 'What it is a part of' }),
  isKnown: Type.Boolean({ description: 'false: Plimsoll does not know it' }),
  page: Nullable(OneOf('ObligationPage', OBLIGATION_PAGES), {
    description: 'The page of the portal that shows more, below that of the workspace',
  }),
})

export const ObligationList = Shape('ObligationList', {
  computedAt: Timestamp,
  obligations: Type.Array(
    Shape('Obligation', {
      id: ObligationId,
      basis: OneOf('ObligationBasis', OBLIGATION_BASES),
      article: Type.String({
        description:
          'Of Regulation (EU) 2024/2847; of a good practice: who or what names it. Nothing is quoted',
      }),
      topic: Type.String(),
      features: Type.Array(Type.String(), { description: 'What Plimsoll has for it' }),
      facts: Type.Array(ObligationFact, {
        description: 'The state in this workspace. No fact says that anything is complied with',
      }),
      people: Type.String({ description: 'What stays with people' }),
      guide: Type.String({ description: 'The name of a guide: /docs/guide/{guide}.html' }),
      note: ObligationNote,
    }),
  ),
})

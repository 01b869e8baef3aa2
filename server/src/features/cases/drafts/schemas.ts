import { Type } from 'typebox'
import { MEMBER_STATES } from '../../../formats/law/member-states.ts'
import { DRAFT_STAGES, FIELD_RULES } from '../../../formats/law/report-fields.ts'
import { Exactly, Nullable, OneOf, Shape, Timestamp } from '../../../platform/http/schemas.ts'
import { MOST_FIELD_TEXT } from '../schemas.ts'
import { FIELD_ORIGINS } from './draft.ts'

const DraftStage = OneOf('DraftStage', DRAFT_STAGES)

export const DraftParams = Type.Object({
  workspaceId: Type.String({ format: 'uuid' }),
  caseId: Type.String(),
  stage: DraftStage,
})

export const WriteFieldCommand = Exactly(
  {
    key: Type.String({ maxLength: 100, examples: ['summary'] }),
    text: Nullable(Type.String({ maxLength: MOST_FIELD_TEXT }), {
      description: 'Empty: nothing is said on purpose. null: the proposed text holds again',
    }),
    fieldSet: Type.Optional(Type.String({ maxLength: 20 })),
    insteadOf: Type.Optional(
      Nullable(Type.String(), {
        description:
          'The `factId` that was written when it was read, or null; refused if somebody wrote meanwhile',
      }),
    ),
  },
  { examples: [{ key: 'summary', text: 'Remote root over the console.' }] },
)

export const ExportDraftQuery = Exactly({
  format: Type.Optional(Type.Enum(['text', 'markdown'], { default: 'text' })),
})

const DraftField = Shape('DraftField', {
  key: Type.String({ examples: ['title'] }),
  number: Type.String({ examples: ['2'], description: 'Of the glossary' }),
  label: Type.String(),
  rule: OneOf('FieldRule', FIELD_RULES),
  wantedBy: Nullable(OneOf('FieldWanter', ['Platform', 'Law']), {
    description: 'Who wants a text here by this stage; null: nobody',
  }),
  most: Nullable(Type.Integer(), { description: 'Characters; null: the glossary names no limit' }),
  text: Type.String({ description: 'What to copy; empty: nothing' }),
  characterCount: Type.Integer({ description: 'As the platform counts: UTF-16 code units' }),
  isTooLong: Type.Boolean(),
  isMissing: Type.Boolean({ description: 'Wanted and empty. It blocks nothing' }),
  origin: OneOf('FieldOrigin', FIELD_ORIGINS),
  source: Type.String({ description: 'Where the text comes from, or that nothing tells it' }),
  proposedText: Nullable(Type.String(), {
    description: 'What would stand here if nobody had written anything',
  }),
  proposedFrom: Nullable(Type.String()),
  submittedText: Nullable(Type.String(), {
    description: 'What the last earlier report said here, where its fields were recorded',
  }),
  written: Nullable(
    Shape('WrittenField', {
      factId: Type.String(),
      stage: DraftStage,
      by: Type.String(),
      at: Timestamp,
    }),
    { description: 'The last text that somebody wrote, at this stage or at an earlier one' },
  ),
})

export const CaseDraft = Shape('CaseDraft', {
  caseId: Type.String(),
  title: Type.String(),
  isDrill: Type.Boolean(),
  stage: DraftStage,
  article: Type.String({ examples: ['14(2)(a)'], description: 'Regulation (EU) 2024/2847' }),
  fieldSet: Type.String({ examples: ['1.3'], description: 'Version of the glossary' }),
  fieldSetReadOn: Type.String({ description: 'The day on which the glossary was read' }),
  preparedAt: Timestamp,
  fields: Type.Array(DraftField, { description: 'In the order of the platform' }),
  missing: Type.Array(Type.String(), {
    description: 'Keys of fields that are wanted and empty. They block nothing',
  }),
  tooLong: Type.Array(Type.String(), { description: 'Keys of fields that the platform would cut' }),
  coordinatorStates: Type.Array(OneOf('MemberState', MEMBER_STATES), {
    description: '14(7), as the lines say',
  }),
  suggestedStates: Type.Array(
    Shape('SuggestedState', {
      state: OneOf('MemberState', MEMBER_STATES),
      deviceCount: Type.Integer(),
    }),
    {
      description:
        'Member States that affected devices name (attribute `country`) and no line does. The law asks where the product was made available',
    },
  ),
  submittedReportId: Nullable(Type.String(), {
    description: 'The report of this stage that was recorded; null: none, or none that holds',
  }),
})

export const IntermediateDraft = Shape('IntermediateReportDraft', {
  caseId: Type.String(),
  requestId: Type.String(),
  preparedAt: Timestamp,
  text: Type.String({ description: 'To change and copy: the platform takes one text' }),
})

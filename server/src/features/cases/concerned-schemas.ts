/** What a case is about. */
import { Type } from 'typebox'
import { Exactly } from '../../platform/http/schemas.ts'
import { LineIds, Reason, VersionIds } from './schemas.ts'

export const AddLinesCommand = Exactly(
  { productLineIds: { ...LineIds, minItems: 1 } },
  { examples: [{ productLineIds: ['0199a1b2-0000-7000-8000-000000000001'] }] },
)
export const RemoveLineCommand = Exactly(
  { productLineId: Type.String({ format: 'uuid' }), reason: Reason },
  {
    examples: [
      {
        productLineId: '0199a1b2-0000-7000-8000-000000000001',
        reason: 'It has another console.',
      },
    ],
  },
)
export const AddVersionsCommand = Exactly(
  { firmwareVersionIds: { ...VersionIds, minItems: 1 } },
  { examples: [{ firmwareVersionIds: ['0199a1b2-0000-7000-8000-000000000001'] }] },
)

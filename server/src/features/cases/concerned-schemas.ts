/** What a case is about. */
import { Type } from 'typebox'
import { Exactly, Name, Nullable } from '../../platform/http/schemas.ts'
import { CaseType, Reason } from './schemas.ts'

const CveId = Type.String({ pattern: '^CVE-[0-9]{4}-[0-9]{4,}$', examples: ['CVE-2026-31431'] })
const LineIds = Type.Array(Type.String({ format: 'uuid' }), {
  maxItems: 100,
  uniqueItems: true,
})
const VersionIds = Type.Array(Type.String({ format: 'uuid' }), {
  maxItems: 1000,
  uniqueItems: true,
})

export const CreateCaseCommand = Exactly(
  {
    type: CaseType,
    title: Name,
    cveId: Type.Optional(Nullable(CveId)),
    productLineIds: { ...LineIds, description: 'Lines of one manufacturer; none: not known yet' },
    firmwareVersionIds: Type.Optional({
      ...VersionIds,
      description: 'Versions that it is about, such as those of an incident',
    }),
    isDrill: Type.Optional(
      Type.Boolean({ default: false, description: 'The same clocks, marked as an exercise' }),
    ),
    reason: Type.Optional(Nullable(Reason, { description: 'What the first hint was' })),
  },
  {
    examples: [
      { type: 'Vulnerability', title: 'Remote root over the console', productLineIds: [] },
    ],
  },
)

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

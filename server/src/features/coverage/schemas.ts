import { Shape } from '../../platform/http/schemas.ts'
import { Type } from 'typebox'

/** Counts what was not matched yet, in answers about the findings of a version. */
export const NotMatchedYet = Shape(
  'PendingPackages',
  {
    sbomCount: Type.Integer({ description: 'SBOMs that are being read or matched' }),
    packageCount: Type.Integer({
      description: 'Packages of SBOMs that were read, of which no vulnerability is known yet',
    }),
  },
  {
    description:
      'What waits to be looked up, or could not be so far: its findings are missing. The SBOMs say why (`failure`). As of now',
  },
)

export const Coverage = Shape('Coverage', {
  sbomCount: Type.Integer(),
  notMatchedYet: NotMatchedYet,
  componentCount: Type.Integer({ description: 'Components of all SBOMs that were read' }),
  excludedCount: Type.Integer({
    description:
      'Components that are not in the firmware, that consist of other components, or that an override ignores',
  }),
  judgedCount: Type.Integer({
    description: 'Components that were looked up in the records by a name that these would have',
  }),
  notJudgedCount: Type.Integer({
    description: 'Components of which nothing can be told; silence about them is no safety',
  }),
  unknownCount: Type.Integer({
    description:
      'Components among those not judged with a CPE that no record in the store has. Records may call the product otherwise',
  }),
  reasons: Type.Array(
    Type.Object({
      reason: Type.String({ examples: ['version is a commit'] }),
      count: Type.Integer(),
      isExcluded: Type.Boolean({
        description:
          'Whether they are not in the firmware, consist of other components, or are ignored by an override',
      }),
    }),
    {
      description: 'The components that are not judged or excluded, the most frequent reason first',
    },
  ),
  undecided: Type.Object(
    { componentCount: Type.Integer(), recordCount: Type.Integer() },
    { description: 'Records that name a component but could not be compared with its version' },
  ),
})

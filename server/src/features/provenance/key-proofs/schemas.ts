import { Type } from 'typebox'
import { Shape } from '../../../platform/http/schemas.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const TrustedKeyProofs = Shape('TrustedKeyProofs', {
  versionCount: count('Firmware versions with a file that only this key verifies'),
  versions: Type.Array(
    Shape('ProvedVersion', {
      id: Type.String(),
      name: Type.String({ examples: ['2.4.1'] }),
      firmwareName: Type.String({ examples: ['Gateway'] }),
    }),
    { description: 'The first 20, by the names of firmware and version' },
  ),
  imageCount: count('Artifacts that only this key verifies'),
  statementCount: count('Statements that only this key verifies'),
  sbomCount: count('SBOMs that only this key verifies'),
  gateVersionCount: count(
    'Of these versions, those that then do not meet what the release gate demands: `Signed` or `SbomSigned`. 0 where it demands neither',
  ),
  uncheckedCount: count(
    'Artifacts and SBOMs whose signatures are still being checked, so nobody can tell yet',
  ),
})

import { Type } from 'typebox'
import { CHAIN_LINK_STATES, CHAIN_STEPS } from '../../../formats/provenance/chain.ts'
import { Nullable, OneOf, Shape } from '../../../platform/http/schemas.ts'

const ChainLink = Shape('ChainLink', {
  step: OneOf('ChainStep', CHAIN_STEPS),
  from: Nullable(Type.String(), {
    description: 'The SBOM, statement or image that it begins with; null: there is none',
    examples: ['gateway-2.4.2.cdx.json'],
  }),
  to: Nullable(Type.String(), {
    description: 'The image that it leads to; null: none, or it leads to devices',
    examples: ['gateway-2.4.2.swu'],
  }),
  state: OneOf('ChainLinkState', CHAIN_LINK_STATES),
  by: Nullable(Type.String(), { description: 'What proves, states or contradicts it' }),
  why: Type.String({ description: 'A sentence' }),
  next: Nullable(Type.String(), { description: 'How to get on; null: it needs nothing' }),
})

const count = (description: string) => Type.Integer({ description })

export const FirmwareChain = Shape('FirmwareChain', {
  isComplete: Type.Boolean({
    description:
      'Whether each image is linked to an SBOM by proof or statement, and nothing contradicts. Devices do not count: before the first roll-out no device runs the version',
  }),
  sboms: Type.Array(Shape('ChainSbom', { id: Type.String(), fileName: Type.String() })),
  images: Type.Array(
    Shape('ChainImage', {
      fileName: Type.String(),
      role: Nullable(Type.String(), { description: 'null: the full image' }),
      sha256: Type.String(),
    }),
    {
      description: 'The full image and the parts. Deltas lead to the full image, and have no link',
    },
  ),
  devices: Shape('ChainDevices', {
    running: count('Devices that say that they run the version'),
    proved: count('They report a hash or the build id of it'),
    ofOther: count('They report a hash of another version'),
    unknown: count('They report a hash that nobody uploaded'),
    notAHash: count('They report a text as the hash which is none'),
    named: count('They report its name and no hash: which image runs is not reported'),
  }),
  links: Type.Array(ChainLink),
})

import { Type } from 'typebox'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  PageRequest,
  Reference,
  Shape,
  Timestamp,
  totalCountFields,
} from '../../../platform/http/schemas.ts'
import { FirmwareVersionReference } from '../../firmware/index.ts'
import { BLIND_SPOT_KINDS } from '../images/store.ts'

const BlindSpotKindSchema = OneOf('BlindSpotKind', BLIND_SPOT_KINDS)
export const BlindSpotKinds = Type.Array(BlindSpotKindSchema, {
  minItems: 1,
  maxItems: BLIND_SPOT_KINDS.length,
})

export const ListBlindSpotsCommand = Exactly(
  {
    ...PageRequest,
    filter: Type.Optional(
      ExactShape('BlindSpotFilter', {
        kinds: Type.Optional(BlindSpotKinds),
        text: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description: 'A part of slug, version, build id or hash, in upper or lower case',
          }),
        ),
      }),
    ),
  },
  { examples: [{ limit: 100, filter: { kinds: ['UnknownImage', 'OtherImage'] } }] },
)

export const BlindSpotPage = Shape('BlindSpotPage', {
  blindSpots: Type.Array(
    Shape('BlindSpot', {
      kind: BlindSpotKindSchema,
      slug: Type.String({ description: 'Empty where devices report a build id that nobody knows' }),
      version: Type.String(),
      buildId: Nullable(Type.String()),
      imageHash: Nullable(Type.String(), { description: 'null: of the kind UnknownVersion' }),
      firmwareVersionId: Nullable(Type.String(), {
        description: 'The version that the devices name; null: of the kind UnknownVersion',
      }),
      imageOf: Type.Array(FirmwareVersionReference, {
        description: 'Firmware versions whose image has the hash',
      }),
      why: Type.String({ description: 'A sentence' }),
      deviceCount: Type.Integer(),
      firstReportedAt: Timestamp,
      lastSeenAt: Nullable(Timestamp),
      exampleDeviceId: Type.String(),
      firmware: Nullable(Reference, { description: 'The firmware with this slug' }),
    }),
    { description: 'Ordered by the number of devices' },
  ),
  ...totalCountFields,
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

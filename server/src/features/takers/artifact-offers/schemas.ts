import { Type } from 'typebox'
import { Exactly, Nullable, OneOf, Shape } from '../../../platform/http/schemas.ts'
import { OFFER_REASONS } from '../../deployments/index.ts'

export const OfferQuery = Exactly({
  firmwareVersionId: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'What a first attempt to install this version would bring; without it, the update that the device is offered now',
    }),
  ),
})

export const ArtifactOffer = Shape('ArtifactOffer', {
  update: Nullable(
    Type.Object({
      updateId: Type.String(),
      attempt: Type.Integer(),
      deploymentId: Type.String(),
    }),
    { description: 'null: it is offered no update, or the request names a version' },
  ),
  artifacts: Type.Array(
    Shape('OfferedArtifact', {
      firmwareVersionId: Type.String(),
      slug: Type.String({ examples: ['gateway'] }),
      version: Type.String({ examples: ['2.4.2'] }),
      role: Type.String({ description: '`image` is the full image', examples: ['delta'] }),
      baseVersion: Nullable(Type.String(), {
        description: 'Of a delta: the version that it begins with',
      }),
      fileName: Type.String({ examples: ['gateway-2.4.2-from-2.4.1.swu'] }),
      sizeBytes: Type.Integer(),
      imageBytes: Type.Integer({ description: 'The size of the full image' }),
      reason: OneOf('ArtifactOfferReason', OFFER_REASONS),
      runs: Nullable(
        Type.Object({
          version: Type.String(),
          confirmed: Type.Boolean({
            description:
              'False: the client reported the installation, and does not report what runs',
          }),
        }),
        { description: 'What the device reports of this firmware; null: nothing' },
      ),
    }),
    {
      description:
        'In the order of installation; none: no update, or the version has no full image',
    },
  ),
  leftOut: Type.Array(Type.String({ examples: ['bootloader'] }), {
    description: 'Roles of parts that its hawkBit client, which takes one artifact, is not offered',
  }),
})

export const ArtifactOffers = Shape('ArtifactOffers', {
  artifacts: Type.Array(
    Shape('ArtifactOfferCount', {
      role: Type.String({ description: '`image` is the full image', examples: ['delta'] }),
      baseVersionId: Nullable(Type.String()),
      baseDeviceCount: Nullable(Type.Integer(), {
        description:
          'Of a delta: devices that reported to run exactly the version that it begins with',
      }),
      offeredDeviceCount: Type.Integer({
        description: 'Devices that are offered it now, by deployments that run',
      }),
    }),
    { description: 'The full image, parts, deltas' },
  ),
})

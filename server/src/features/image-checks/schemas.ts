import { Type } from 'typebox'
import { IMAGE_FORMATS } from '../../formats/images/image-facts.ts'
import { VERIFICATION_STATES } from '../../formats/images/judge-image.ts'
import { Nullable, OneOf, Reference, Shape, Timestamp } from '../../platform/http/schemas.ts'

const ImageSignature = Shape('ImageSignature', {
  scheme: Type.String({ examples: ['ECDSA P-256'] }),
  keyId: Nullable(Type.String(), { description: 'What the image names the key by' }),
  trustedKey: Nullable(Reference, { description: 'The trusted key that it leads to' }),
  testKey: Nullable(Type.String(), {
    description:
      'A published test key, whose private part everybody has, signed it or issued its certificate',
    examples: ['MCUboot’s published root-rsa-2048.pem'],
  }),
  signer: Nullable(Type.String(), { description: 'The subject of the certificate of the signer' }),
  endsAt: Nullable(Timestamp, {
    description: 'The first end of a certificate that it needs; null: it needs none',
  }),
  detail: Nullable(Type.String(), { description: 'Why it does not count' }),
})

const ImageStatement = Shape('ImageStatement', {
  version: Nullable(Type.String({ examples: ['2.4.1'] })),
  compatible: Nullable(Type.String()),
  hardware: Type.Array(Type.String()),
  securityCounter: Nullable(Type.Integer()),
})

const ImageVerification = Shape('ImageVerification', {
  role: Type.String({ description: '`image` is the full image', examples: ['delta'] }),
  baseVersion: Nullable(Type.String(), {
    description: 'Of a delta: the version that a device has to run',
  }),
  fileName: Type.String(),
  sha256: Type.String({ description: 'Of the artifact, in hexadecimal' }),
  state: OneOf('VerificationState', VERIFICATION_STATES),
  reason: Type.String({ description: 'Why it has this state, as a sentence' }),
  testKey: Nullable(Type.String(), { description: 'The first test key of the signatures' }),
  format: Nullable(OneOf('ImageFormat', IMAGE_FORMATS), {
    description: 'null: it is still being checked',
  }),
  variant: Nullable(Type.String({ examples: ['verity'] })),
  statement: { ...ImageStatement, description: 'What the image says of itself' },
  isNamedVersion: Nullable(Type.Boolean(), {
    description:
      'Whether the image states the version that it was uploaded as; null: it states none',
  }),
  signatures: Type.Array(ImageSignature),
  notes: Type.Array(Type.String(), { description: 'What the signatures do not cover' }),
  examinedAt: Nullable(Timestamp),
})

export const ImageVerificationList = Shape('ImageVerificationList', {
  verifications: Type.Array(ImageVerification, {
    description: 'One for each artifact: the full image, parts, deltas',
  }),
})

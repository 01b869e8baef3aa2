import { Type } from 'typebox'
import { Exactly, Nullable, Shape, Timestamp } from '../../../platform/http/schemas.ts'

export const AddSignatureCommand = Exactly(
  {
    role: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Of the artifact that it stands beside; left out: the full image',
        examples: ['bootloader'],
      }),
    ),
    baseVersionId: Type.Optional(
      Type.String({ maxLength: 100, description: 'Beside a delta: the version it begins with' }),
    ),
    fileName: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      examples: ['gateway-2.4.2.bin.minisig'],
    }),
    signature: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description:
        'The text of a signature of minisign, or that of cosign (sign-blob) or openssl in Base64 or hexadecimal: ECDSA or RSA (PKCS #1 v1.5) with SHA-256, or Ed25519',
    }),
  },
  {
    examples: [
      {
        fileName: 'gateway-2.4.2.bin.sig',
        signature:
          'MEUCIQDKQbBdUXTDBsTZ0ikUOPBLhBkuKLXxhfwiS1xRvMOPFwIgVJWM4mXKbGbmxLPnX2KXQ8sy8sTzC1gTNq2ZxQqXl1k=',
      },
    ],
  },
)

export const ArtifactSignature = Shape('ArtifactSignature', {
  id: Type.String(),
  role: Type.String({ description: 'Of the artifact; `image` is the full image' }),
  baseVersionId: Nullable(Type.String(), { description: 'Of a delta' }),
  fileName: Type.String(),
  kind: Type.Enum(['minisign', 'raw']),
  keyId: Nullable(Type.String(), { description: 'Of minisign' }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
})

export const ArtifactSignatureList = Shape('ArtifactSignatureList', {
  signatures: Type.Array(ArtifactSignature),
})

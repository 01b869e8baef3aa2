import { Type } from 'typebox'
import { SBOM_SIGNATURE_STATES } from '../../formats/sbom-signatures/judge-sbom.ts'
import {
  Exactly,
  Nullable,
  OneOf,
  Reference,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'

export const AddSbomSignatureCommand = Exactly(
  {
    fileName: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      examples: ['image.cdx.json.sig'],
    }),
    signature: Type.String({
      minLength: 1,
      maxLength: 30_000_000,
      description:
        'The text of a signature of minisign, that of cosign (sign-blob) or openssl in Base64 or hexadecimal, or a DSSE envelope whose in-toto statement has the SHA-256 of the SBOM as a subject or the SBOM as predicate',
    }),
  },
  {
    examples: [
      {
        fileName: 'image.cdx.json.sig',
        signature:
          'MEUCIQDKQbBdUXTDBsTZ0ikUOPBLhBkuKLXxhfwiS1xRvMOPFwIgVJWM4mXKbGbmxLPnX2KXQ8sy8sTzC1gTNq2ZxQqXl1k=',
      },
    ],
  },
)

export const SignatureBesideSbom = Shape('SignatureBesideSbom', {
  id: Type.String(),
  fileName: Type.String(),
  kind: Type.Enum(['Detached', 'DSSE']),
  keyId: Nullable(Type.String(), { description: 'Of minisign' }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
})

const SbomSignature = Shape('SbomSignature', {
  scheme: Type.String({ examples: ['JSF ES256'] }),
  keyId: Nullable(Type.String(), { description: 'What the signature names its key by' }),
  trustedKey: Nullable(Reference, { description: 'The trusted key that it leads to' }),
  signer: Nullable(Type.String(), { description: 'The subject of the certificate of the signer' }),
  endsAt: Nullable(Timestamp, {
    description: 'The first end of a certificate that it needs; null: it needs none',
  }),
  detail: Nullable(Type.String(), { description: 'Why it does not count' }),
})

const SbomVerification = Shape('SbomVerification', {
  sbomId: Type.String(),
  fileName: Type.String(),
  state: OneOf('SbomSignatureState', SBOM_SIGNATURE_STATES),
  reason: Type.String({ description: 'Why it has this state, as a sentence' }),
  signatures: Type.Array(SbomSignature),
  beside: Type.Array(SignatureBesideSbom, { description: 'Those that stand beside the document' }),
  examinedAt: Nullable(Timestamp),
})

export const SbomVerificationList = Shape('SbomVerificationList', {
  verifications: Type.Array(SbomVerification, { description: 'One for each SBOM of the version' }),
})

import { Type } from 'typebox'
import { Exactly, Nullable, Timestamp } from '../../platform/http/schemas.ts'

export const ArtifactQuery = Exactly({
  fileName: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'What the file is called on devices; without it, <slug>-<version>.bin',
      examples: ['gateway-2.4.2.swu'],
    }),
  ),
  uploadId: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'With Content-Range: the upload that the first part began',
    }),
  ),
})

export const ArtifactBody = Type.String({ format: 'binary' })

export const Artifact = Type.Object({
  firmwareVersionId: Type.String(),
  fileName: Type.String({ examples: ['gateway-2.4.2.swu'] }),
  sizeBytes: Type.Integer({ examples: [18_874_368] }),
  sha256: Type.String({ description: 'Hexadecimal, as the other digests' }),
  sha1: Type.String(),
  md5: Type.String(),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  isDeployed: Type.Boolean({ description: 'A deployment holds it: it can no longer be changed' }),
})

export const ArtifactUpload = Type.Object({
  uploadId: Type.String(),
  fileName: Type.String(),
  receivedBytes: Type.Integer({ description: 'Go on with the byte of this number' }),
  totalBytes: Type.Integer(),
  reprDigest: Nullable(Type.String(), { description: 'As declared with the first part' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})

export const ArtifactOfUpdateQuery = Type.Object({
  position: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  secret: Type.String({ maxLength: 200 }),
})

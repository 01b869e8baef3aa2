import { Type } from 'typebox'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { defineProblems, Exactly, Nullable, Shape, Timestamp } from '../../platform/http/schemas.ts'

export const uploadId = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'With Content-Range: the id that the first part returned',
  }),
)

export const ArtifactQuery = Exactly({
  fileName: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'File name on devices; by default <slug>-<version>.bin',
      examples: ['gateway-2.4.2.swu'],
    }),
  ),
  uploadId,
})

export const ArtifactBody = Type.String({ format: 'binary' })

/** The answers of a download. */
export function describeContentAnswers() {
  const whole = { 'application/octet-stream': { schema: ArtifactBody } }
  const parts = { 'multipart/byteranges': { schema: ArtifactBody } }
  return {
    produces: ['application/octet-stream', 'multipart/byteranges'],
    response: {
      200: { content: whole },
      206: {
        description: 'The requested range; several as multipart/byteranges, in the order asked for',
        content: { ...whole, ...parts },
      },
      304: Type.Null({ description: 'If-None-Match names it: you have it already' }),
      416: defineProblems(416)[416],
      ...defineProblems(400, 404),
    },
  }
}

export const Artifact = Shape('Artifact', {
  firmwareVersionId: Type.String(),
  fileName: Type.String({ examples: ['gateway-2.4.2.swu'] }),
  sizeBytes: Type.Integer({ examples: [18_874_368] }),
  sha256: Type.String({ description: 'Hexadecimal, like the other digests' }),
  sha1: Type.String(),
  md5: Type.String(),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  isDeployed: Type.Boolean({
    description: 'A deployment holds the version: the artifact can no longer be changed',
  }),
})

export const ArtifactUpload = Shape('ArtifactUpload', {
  uploadId: Type.String(),
  fileName: Type.String(),
  receivedBytes: Type.Integer({ description: 'Offset of the next byte to send' }),
  totalBytes: Type.Integer(),
  reprDigest: Nullable(Type.String(), { description: 'As the first part declared it' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})

export const ArtifactOfUpdateQuery = Type.Object({
  position: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  secret: Type.String({ maxLength: 200 }),
  artifactId: Type.Optional(Type.String({ maxLength: 100 })),
})

/** A file was stored as an artifact; its content has not been looked at. */
export const ArtifactStored = defineMessage(
  'artifacts.stored',
  Type.Object({
    workspaceId: Type.String(),
    firmwareVersionId: Type.String(),
    blobId: Type.String(),
  }),
)

export const artifactMessages = [ArtifactStored]

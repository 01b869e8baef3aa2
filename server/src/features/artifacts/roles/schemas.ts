import { Type } from 'typebox'
import { ArtifactUpload, uploadId } from '../schemas.ts'
import { Exactly, Nullable, Saying, Shape, Timestamp } from '../../../platform/http/schemas.ts'

/** Checked once the version is known to be there. */
export const ROLE = /^[a-z][a-z0-9-]{0,31}$/

export const RoleParams = Type.Object({
  workspaceId: Type.String(),
  firmwareVersionId: Type.String(),
  role: Saying(
    Type.String({
      maxLength: 100,
      description:
        '`delta`, or what the software of devices calls the part: `rootfs`, `bootloader`',
    }),
    { pattern: ROLE.source },
  ),
})

const baseVersionId = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'Of a delta: the firmware version that a device has to run',
  }),
)

export const RoleQuery = Exactly({ baseVersionId })

export const RoleUploadQuery = Exactly({
  baseVersionId,
  uploadId,
  fileName: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'File name on devices; by default <slug>-<version>-<role>.bin',
      examples: ['gateway-2.4.2-from-2.4.1.swu'],
    }),
  ),
})

export const RoleArtifact = Shape('RoleArtifact', {
  role: Type.String({ description: '`image` is the full image', examples: ['delta'] }),
  baseVersionId: Nullable(Type.String()),
  baseVersion: Nullable(Type.String(), {
    description: 'Of a delta: the version that a device has to run',
  }),
  fileName: Type.String({ examples: ['gateway-2.4.2-from-2.4.1.swu'] }),
  sizeBytes: Type.Integer({ examples: [1_048_576] }),
  sha256: Type.String({ description: 'Hexadecimal, like the other digests' }),
  sha1: Type.String(),
  md5: Type.String(),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  isDeployed: Type.Boolean({
    description: 'A deployment offers it to devices: it can no longer be changed',
  }),
})

export const RoleArtifacts = Shape('RoleArtifacts', {
  isDeployed: Type.Boolean({
    description:
      'A deployment holds the version: its artifacts can no longer be changed, and deltas alone can be added',
  }),
  artifacts: Type.Array(RoleArtifact, { description: 'The full image, parts, deltas' }),
  uploads: Type.Array(
    Shape('UnfinishedUpload', {
      role: RoleArtifact.properties.role,
      baseVersionId: RoleArtifact.properties.baseVersionId,
      baseVersion: RoleArtifact.properties.baseVersion,
      ...ArtifactUpload.properties,
      createdByEmail: Nullable(Type.String()),
    }),
    { description: 'Uploads in parts that are not complete and can go on, the newest first' },
  ),
})

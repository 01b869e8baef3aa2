import { Type } from 'typebox'
import { Exactly, Nullable, Shape, Timestamp } from '../../../platform/http/schemas.ts'

const MOST_DAYS = 3650

export const CreateAddressCommand = Exactly(
  {
    role: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Left out: the full image',
        examples: ['chunks'],
      }),
    ),
    baseVersionId: Type.Optional(
      Type.String({ maxLength: 100, description: 'Of a delta: the version it begins with' }),
    ),
    days: Type.Integer({
      minimum: 1,
      maximum: MOST_DAYS,
      description: 'How long it works',
      examples: [365],
    }),
  },
  { examples: [{ role: 'chunks', days: 365 }] },
)

export const ArtifactAddress = Shape('ArtifactAddress', {
  id: Type.String(),
  role: Type.String({ description: 'Of the file; `image` is the full image' }),
  baseVersionId: Nullable(Type.String(), { description: 'Of a delta' }),
  url: Type.String({ description: 'Whoever knows it can download the file' }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  endsAt: Timestamp,
  uses: Type.Integer({
    description: 'Requests so far, each range as one; written some seconds late',
  }),
  lastUsedAt: Nullable(Timestamp),
})

export const ArtifactAddressList = Shape('ArtifactAddressList', {
  addresses: Type.Array(ArtifactAddress, { description: 'The newest first' }),
})

import { Type } from 'typebox'
import { Exactly, Nullable, Shape, Timestamp } from '../../platform/http/schemas.ts'

export const EvidenceQuery = Exactly({
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Decisions, uptake and roll-outs from this instant on; default: from the beginning',
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Everything before this instant; findings are those of this instant; default: now',
    }),
  ),
})

export const EvidenceKey = Shape('EvidenceKey', {
  id: Type.String(),
  publicKey: Type.String({ description: 'Ed25519, as SubjectPublicKeyInfo in PEM' }),
  fingerprint: Type.String({ description: 'SHA-256 of the public key in DER, hexadecimal' }),
  createdAt: Timestamp,
  retiredAt: Nullable(Timestamp, { description: 'null: it signs new bundles' }),
})

export const EvidenceKeyList = Shape('EvidenceKeyList', {
  keys: Type.Array(EvidenceKey, {
    description: 'Newest first. None: the first bundle makes one',
  }),
})

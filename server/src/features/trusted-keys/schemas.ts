import { Type } from 'typebox'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import { Exactly, Name, Nullable, Shape, Timestamp } from '../../platform/http/schemas.ts'

const named = {
  name: Name,
  purpose: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }), {
      description: 'What it signs, in words',
      examples: ['Release builds of the gateway'],
    }),
  ),
}

export const CreateTrustedKeyCommand = Exactly(
  {
    ...named,
    key: Type.String({
      minLength: 1,
      maxLength: 32_768,
      description:
        'A public key or a certificate in PEM (also of cosign), a public key of minisign, or the 32 bytes of an Ed25519 key in Base64 or hexadecimal. A certificate is trusted for what it signs and for what it issued, whether it is a root or not.',
    }),
  },
  {
    examples: [
      {
        name: 'Release key 2026',
        purpose: 'Release builds of the gateway',
        key: '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n',
      },
    ],
  },
)

export const TrustedKey = Shape('TrustedKey', {
  id: Type.String(),
  ...named,
  purpose: Nullable(Type.String()),
  kind: Type.Enum(['PublicKey', 'Certificate']),
  pem: Type.String(),
  fingerprint: Type.String({
    description: 'SHA-256 of the SubjectPublicKeyInfo, in hexadecimal',
  }),
  algorithm: Type.String({ examples: ['RSA-3072', 'ECDSA P-256', 'Ed25519'] }),
  minisignKeyId: Nullable(Type.String(), { description: 'null: the key is not of minisign' }),
  subject: Nullable(Type.String(), { description: 'Of a certificate' }),
  beginsAt: Nullable(Timestamp, { description: 'Of a certificate' }),
  endsAt: Nullable(Timestamp, {
    description: 'Of a certificate: nothing is verified with it from then on',
  }),
  testKey: Nullable(Type.String(), {
    description: 'The published test key that it is, whose private part everybody has',
    examples: ['MCUboot’s published root-rsa-2048.pem'],
  }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  updatedAt: Timestamp,
})

export const TrustedKeyList = Shape('TrustedKeyList', { trustedKeys: Type.Array(TrustedKey) })

export const UpdateTrustedKeyCommand = Replacing(
  Exactly(named, {
    examples: [{ name: 'Release key 2026', purpose: 'Release builds of the gateway' }],
  }),
  TrustedKey,
)

/** Keys were added: signatures that none fitted may fit one now. */
export const TrustedKeysChanged = defineMessage(
  'trusted-keys.changed',
  Type.Object({ workspaceId: Type.String() }),
)

/** The same, for signatures of statements: a message has one subscriber. */
export const StatementKeysChanged = defineMessage(
  'trusted-keys.changed-for-statements',
  Type.Object({ workspaceId: Type.String() }),
)

/** The same, for signatures of SBOMs: a message has one reader. */
export const SbomKeysChanged = defineMessage(
  'trusted-keys.changed-for-sboms',
  Type.Object({ workspaceId: Type.String() }),
)

export const trustedKeyMessages = [TrustedKeysChanged, StatementKeysChanged, SbomKeysChanged]

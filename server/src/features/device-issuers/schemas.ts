import { Type } from 'typebox'
import { DEVICE_ID_FIELDS } from '../../formats/x509/certificate.ts'
import { Exactly, Name, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import { ISSUER_STATES } from './standing.ts'

const Pem = (description: string) =>
  Type.String({
    maxLength: 32_768,
    description,
    examples: ['-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n'],
  })
const Affix = (description: string) => Type.String({ maxLength: 200, description })

const rule = {
  deviceIdField: OneOf('DeviceIdField', DEVICE_ID_FIELDS),
  deviceIdPrefix: Affix('What stands before the id of a device there, such as urn:device:'),
  deviceIdSuffix: Affix('What stands after it, such as .devices.example.com'),
}

export const CreateDeviceIssuerCommand = Exactly(
  {
    name: Name,
    certificate: Pem('The authority that issues the certificates of devices itself, in PEM'),
    proof: Pem(
      'A certificate that this authority issued for the common name plimsoll-issuer-{workspaceId}, in PEM: it proves that you hold its key',
    ),
    deviceIdField: Type.Optional(rule.deviceIdField),
    deviceIdPrefix: Type.Optional(rule.deviceIdPrefix),
    deviceIdSuffix: Type.Optional(rule.deviceIdSuffix),
  },
  {
    examples: [
      {
        name: 'Factory 2026',
        certificate: '-----BEGIN CERTIFICATE-----\n…',
        proof: '-----BEGIN CERTIFICATE-----\n…',
        deviceIdField: 'CommonName',
      },
    ],
  },
)

export const DeviceIssuer = Shape('DeviceIssuer', {
  id: Type.String(),
  name: Name,
  subject: Type.String(),
  certificate: Type.String({ description: 'PEM' }),
  ...rule,
  notBefore: Timestamp,
  notAfter: Timestamp,
  state: OneOf('DeviceIssuerState', ISSUER_STATES),
  standing: Type.String({
    description: 'What holds of its certificates now, in a sentence',
  }),
  deviceCount: Type.Integer({
    description: 'Devices that connected with a certificate of it which is in force',
  }),
  nextEndAt: Nullable(Timestamp, {
    description: 'When the first of these certificates ends; null: none was seen',
  }),
  revokedCount: Type.Integer({ description: 'Certificates that somebody of the team revoked' }),
  revocationList: Nullable(
    Shape('DeviceRevocationList', {
      number: Nullable(Type.String()),
      thisUpdate: Timestamp,
      nextUpdate: Timestamp,
      revokedCount: Type.Integer(),
    }),
    { description: 'null: none was uploaded' },
  ),
  acceptsAfterCrlEnd: Type.Boolean(),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  updatedAt: Timestamp,
})

export const ChangeDeviceIssuerCommand = Replacing(
  Exactly(
    {
      name: Name,
      acceptsAfterCrlEnd: Type.Boolean({
        description:
          'Whether its certificates are accepted after its revocation list has ended, when nobody knows which were revoked since',
      }),
    },
    { examples: [{ name: 'Factory 2026', acceptsAfterCrlEnd: false }] },
  ),
  DeviceIssuer,
)

export const DeviceIssuers = Shape('DeviceIssuers', {
  proofName: Type.String({
    description: 'The common name of a proof',
    examples: ['plimsoll-issuer-01900000-0000-7000-8000-000000000001'],
  }),
  deviceIssuers: Type.Array(DeviceIssuer),
})

export const UploadRevocationListCommand = Exactly(
  { crl: Type.String({ maxLength: 8_000_000, description: 'The list of the authority in PEM' }) },
  { examples: [{ crl: '-----BEGIN X509 CRL-----\n…\n-----END X509 CRL-----\n' }] },
)

export const TakenRevocationList = Shape('TakenRevocationList', {
  revokedCount: Type.Integer({ description: 'Certificates that the list names' }),
  newlyRevokedCount: Type.Integer({
    description: 'Certificates that devices connected with, and that are refused from now on',
  }),
  restoredCount: Type.Integer({
    description: 'Certificates that were refused before, and that the list has no more',
  }),
  nextUpdate: Timestamp,
})

export const RevokeCertificateCommand = Exactly(
  {
    serial: Type.String({
      maxLength: 200,
      description: 'Hexadecimal, as `openssl x509 -serial` prints it',
    }),
  },
  { examples: [{ serial: '5C:0F:FE:E1' }] },
)

export const RevokedCertificate = Shape('RevokedCertificate', {
  serial: Type.String(),
  seenCount: Type.Integer({
    description: 'Devices that connected with it; 0: it was never seen, and is refused if it comes',
  }),
})

export const DeviceRevocations = Shape('DeviceRevocations', {
  revocations: Type.Array(
    Shape('DeviceRevocation', {
      serial: Type.String(),
      isListed: Type.Boolean({
        description: 'Whether the revocation list has it, rather than somebody of the team',
      }),
      revokedAt: Timestamp,
      revokedByEmail: Nullable(Type.String()),
      deviceId: Nullable(Type.String(), { description: 'null: it was never seen' }),
    }),
    { description: 'The newest 1,000' },
  ),
})

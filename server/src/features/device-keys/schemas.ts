import { Type } from 'typebox'
import {
  Exactly,
  ExactShape,
  Name,
  Nullable,
  PageRequest,
  Reference,
  Shape,
  Timestamp,
  totalCountFields,
} from '../../platform/http/schemas.ts'
import { KeyRotationState } from '../devices/index.ts'

export const RotatedKeys = Shape('RotatedKeys', {
  matched: Type.Integer({ description: 'Selected devices' }),
  asked: Type.Integer({ description: 'Of these, which are asked by this command' }),
  askedBefore: Type.Integer({ description: 'Which were asked already, and are not done yet' }),
  hawkbit: Type.Integer({
    description: 'Which connect as hawkBit clients, and cannot: they are not asked',
  }),
  withoutOwnKey: Type.Integer({
    description: 'Which have no key of their own to replace: they are not asked',
  }),
  severalKeys: Type.Integer({
    description:
      'Of those asked, which have several keys of their own: all older ones end once the new one is used',
  }),
  keyRotationBatchId: Nullable(Type.String(), {
    description: 'Takes it back (…/undo); null: nobody was asked, or it was a preview',
  }),
})

export const KeyAgesQuery = Exactly({
  days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 3650,
      description:
        'As if keys were replaced after so many days (0: never), for those devices that go by the workspace; left out: as it is saved',
    }),
  ),
  deploymentCohortId: Type.Optional(
    Type.String({ maxLength: 200, description: 'With `days`: for the devices of this cohort' }),
  ),
})

const Devices = (description: string) => Type.Integer({ description })

export const KeyAges = Shape('DeviceKeyAges', {
  devices: Devices(
    'Devices whose keys are to be replaced by age; each is in one of the counts below',
  ),
  young: Devices('Whose keys are not old enough'),
  due: Devices('Whose key is older than wanted, and which will be asked'),
  away: Devices(
    'Whose key is older than wanted, and which were not in contact for a day: they are asked once they are',
  ),
  asked: Devices('Which were asked, and were not told yet'),
  told: Devices('Which were told, and fetched no key yet'),
  fetched: Devices('Which fetched their next key, and did not use it yet'),
  unable: Devices(
    'Which were told and do not seem to know how: they keep their key (list them by `keyRotation` Unable)',
  ),
  hawkbit: Devices('Which connect as hawkBit clients, and cannot: they are not asked'),
  withoutOwnKey: Devices('Which have no key of their own to replace: they are not asked'),
  oldestKeyAt: Nullable(Timestamp, { description: 'When the oldest own key of these was made' }),
  asksPerHour: Type.Integer({
    description: 'How many devices are asked in an hour at most, so that all take a day',
  }),
  standing: Type.String({ description: 'What holds, in sentences' }),
})

export const UndoneKeyRotations = Shape('UndoneKeyRotations', {
  cancelled: Type.Integer({ description: 'Devices that are asked no more' }),
  left: Type.Integer({
    description: 'Devices that fetched their next key already, or use it: they go on with it',
  }),
})

export const CreateDeviceKeyCommand = Exactly(
  {
    name: Type.Optional(Name),
    deviceId: Type.Optional(
      Type.String({
        maxLength: 128,
        description: 'The device that may use it; left out: all devices of the workspace',
      }),
    ),
  },
  { examples: [{ name: 'Production line 2' }] },
)

export const CreatedDeviceKey = Shape('CreatedDeviceKey', {
  id: Type.String(),
  deviceKey: Type.String({ description: 'Shown this once', examples: ['plmd_…'] }),
})

export const DeviceKeysQuery = Exactly({
  deviceId: Type.Optional(
    Type.String({ description: 'Only keys that this device may use: its own and those of all' }),
  ),
})

const DeviceKey = Shape('DeviceKey', {
  id: Type.String(),
  deviceId: Nullable(Type.String(), { description: 'null: a key of all devices' }),
  name: Type.String({ description: 'Of a certificate: its subject' }),
  certificate: Nullable(
    Shape('DeviceCertificate', {
      issuer: Reference,
      serial: Type.String({ description: 'Hexadecimal', examples: ['5c0ffee1'] }),
      expiresAt: Timestamp,
    }),
    { description: 'What a device connects with instead of a key; null: it is a key' },
  ),
  createdByEmail: Nullable(Type.String()),
  createdAt: Timestamp,
  ageDays: Type.Integer({
    description: 'Whole days since it was made; of a certificate, since it was seen first',
  }),
  isNext: Type.Boolean({
    description: 'Whether its device fetched it and did not use it yet',
  }),
  revokedAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
  replacement: Shape('KeyReplacement', {
    askedAt: Nullable(Timestamp, {
      description: 'When its device was asked to replace it; null: it is not asked',
    }),
    state: Nullable(KeyRotationState),
    standing: Type.String({
      description: 'Whether and when it is replaced, and what stands in the way, in sentences',
    }),
  }),
})

export const DeviceKeys = Type.Array(DeviceKey)

export const ListDeviceKeysCommand = Exactly(
  {
    ...PageRequest,
    filter: Type.Optional(
      ExactShape('DeviceKeyFilter', {
        deviceId: DeviceKeysQuery.properties.deviceId,
        isRevoked: Type.Optional(
          Type.Boolean({
            description: 'true: keys that were revoked or replaced; false: all others',
          }),
        ),
        text: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description:
              'A part of its name or of the id of its device, in upper or lower case, or its own id',
          }),
        ),
      }),
    ),
  },
  { examples: [{ limit: 100, filter: { isRevoked: false } }] },
)

export const DeviceKeyPage = Shape('DeviceKeyPage', {
  deviceKeys: Type.Array(DeviceKey, {
    description: 'Keys that were not revoked before those that were, each the oldest first',
  }),
  ...totalCountFields,
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

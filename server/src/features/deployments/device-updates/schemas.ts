import { Type } from 'typebox'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  PageRequest,
  Reference,
  Shape,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { DEVICE_STATES, UPDATE_STATES } from './state.ts'

const FailureReasons = Type.Array(Type.String({ maxLength: 4000 }), {
  maxItems: 20,
  description: 'As `failureReasons` of the deployment has them',
})

export const RetryDeviceUpdatesCommand = Exactly(
  {
    reasons: Type.Optional(FailureReasons),
    changedOnly: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Only devices for which something has changed since they failed, as `changedCount` of the failures counts them',
      }),
    ),
  },
  { examples: [{ reasons: ['flash is full'] }] },
)

export const ListDeviceUpdatesCommand = Exactly(
  {
    ...PageRequest,
    filter: Type.Optional(
      ExactShape('DeviceUpdateFilter', {
        states: Type.Optional(
          Type.Array(OneOf('DeviceUpdateState', UPDATE_STATES), { maxItems: 5 }),
        ),
        deviceStates: Type.Optional(
          Type.Array(OneOf('DeploymentDeviceState', DEVICE_STATES), {
            maxItems: DEVICE_STATES.length,
            description: 'As `deviceCounts` of the deployment counts them',
          }),
        ),
        reasons: Type.Optional(FailureReasons),
      }),
    ),
  },
  { examples: [{ limit: 100, filter: { states: ['failed'] } }] },
)

const DeviceUpdate = {
  updateId: Type.String({ description: 'Id of the latest attempt' }),
  state: OneOf('DeviceUpdateState', UPDATE_STATES),
  attempt: Type.Integer(),
  reason: Nullable(Type.String(), {
    description:
      'Why the update failed or was cancelled. While it is pending: why the previous attempt failed.',
  }),
  progress: Nullable(Type.Integer(), { description: 'Percent' }),
  unconfirmed: Type.Boolean({
    description: 'The client reported success but never reports versions',
  }),
  createdAt: Timestamp,
  releasedAt: Nullable(Timestamp, { description: 'null: its phase has not begun' }),
  startedAt: Nullable(Timestamp),
  installedAt: Nullable(Timestamp, {
    description:
      'When the device reported the installation. The update succeeds once the device reports the new versions.',
  }),
  finishedAt: Nullable(Timestamp),
  deadlineAt: Nullable(Timestamp),
}

export const DeviceUpdatePage = Shape('DeviceUpdatePage', {
  deviceUpdates: Type.Array(
    Shape('DeviceUpdate', {
      deviceId: Type.String(),
      deviceState: OneOf('DeploymentDeviceState', DEVICE_STATES),
      reports: Type.Array(
        Type.Object({
          slug: Type.String(),
          version: Type.String(),
          firmwareVersionId: Nullable(Type.String(), { description: 'null: an unknown version' }),
        }),
        { description: 'What the device reports of the firmwares that the deployment brings' },
      ),
      ...DeviceUpdate,
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const UpdatesOfDevicePage = Shape('UpdatesOfDevicePage', {
  deviceUpdates: Type.Array(
    Shape('UpdateOfDevice', {
      ...DeviceUpdate,
      deployment: Type.Object({
        ...Reference.properties,
        cohort: Type.Object(Reference.properties, {
          description: 'Whose deployment it is; the device may belong to another one by now',
        }),
        firmwareVersions: Type.Array(Type.Object({ ...Reference.properties, firmware: Reference })),
      }),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

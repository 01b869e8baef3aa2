import { Type } from 'typebox'
import { Exactly, ExactShape, Nullable, Reference, Shape } from '../../platform/http/schemas.ts'
import { DeviceFilterSchema, DeviceTagSchema } from '../devices/index.ts'

const MOST_IDS = 5_000
const MOST_TAGS = 100

const selection = {
  deviceIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 128 }), {
      minItems: 1,
      maxItems: MOST_IDS,
      description: 'Either these, or all that a filter selects',
    }),
  ),
  filter: Type.Optional(DeviceFilterSchema),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Only say what would happen' }),
  ),
}

const Tags = Type.Array(DeviceTagSchema, { maxItems: MOST_TAGS })

export const TagDevicesCommand = Exactly(
  { ...selection, add: Type.Optional(Tags), remove: Type.Optional(Tags) },
  { examples: [{ filter: { text: 'lab-' }, add: ['lab'], remove: ['field'], dryRun: true }] },
)

const CohortMoves = Type.Array(
  Shape('CohortMove', {
    from: Nullable(Reference, { description: 'null: they were in no cohort' }),
    to: Nullable(Reference, { description: 'null: they are in no cohort' }),
    devices: Type.Integer(),
  }),
  { description: 'Devices that change their cohort' },
)

const DeviceBatchId = Nullable(Type.String(), {
  description: 'Takes it back for seven days (…/undo); null: nothing changed, or it was a preview',
})

export const UndoneDeviceBatch = Shape('UndoneDeviceBatch', {
  restored: Type.Integer({ description: 'Devices that have again what they had' }),
  left: Type.Integer({
    description:
      'Devices that stay as they are: they were changed or deleted since, or their cohort is gone',
  }),
  leftDeviceIds: Type.Array(Type.String(), { description: 'The first 20 of them' }),
  moves: CohortMoves,
})

export const TaggedDevices = Shape('TaggedDevices', {
  matched: Type.Integer({ description: 'Selected devices' }),
  changed: Type.Integer({ description: 'Of these, whose tags are others now' }),
  moves: CohortMoves,
  deviceBatchId: DeviceBatchId,
})

/** What a command needs that says nothing more. */
export const DeviceSelectionCommand = ExactShape('DeviceSelection', selection, {
  examples: [{ filter: { neverSeen: true }, dryRun: true }],
})

export const DeletedDevices = Shape('DeletedDevices', {
  deleted: Type.Integer(),
  connected: Type.Integer({ description: 'Of these, whose connections end' }),
})

export const MoveDevicesCommand = Exactly(
  {
    ...selection,
    deploymentCohortId: Nullable(Type.String({ maxLength: 200 }), {
      description: 'The cohort they are picked for; null: tag rules decide',
    }),
  },
  { examples: [{ deviceIds: ['gateway-0001'], deploymentCohortId: null, dryRun: true }] },
)

export const MovedDevices = Shape('MovedDevices', {
  matched: Type.Integer({ description: 'Selected devices' }),
  moves: CohortMoves,
  deviceBatchId: DeviceBatchId,
})

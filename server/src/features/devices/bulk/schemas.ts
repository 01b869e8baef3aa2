import { Type } from 'typebox'
import { Exactly, Nullable } from '../../../platform/http/schemas.ts'
import { DeviceFilter, Named, Tag } from '../schemas.ts'

const MOST_IDS = 5_000
const MOST_TAGS = 100

/** Of commands for many devices. */
export const selection = {
  deviceIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 128 }), {
      minItems: 1,
      maxItems: MOST_IDS,
      description: 'Either these, or all that a filter selects',
    }),
  ),
  filter: Type.Optional(DeviceFilter),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Only say what would happen' }),
  ),
}

const Tags = Type.Array(Tag, { maxItems: MOST_TAGS })

export const TagDevicesCommand = Exactly(
  { ...selection, add: Type.Optional(Tags), remove: Type.Optional(Tags) },
  { examples: [{ filter: { text: 'lab-' }, add: ['lab'], remove: ['field'], dryRun: true }] },
)

export const CohortMoves = Type.Array(
  Type.Object({
    from: Nullable(Named, { description: 'null: they were in no cohort' }),
    to: Nullable(Named, { description: 'null: they are in no cohort' }),
    devices: Type.Integer(),
  }),
  { description: 'Devices that change their cohort' },
)

export const TaggedDevices = Type.Object({
  matched: Type.Integer({ description: 'Selected devices' }),
  changed: Type.Integer({ description: 'Of these, whose tags are others now' }),
  moves: CohortMoves,
})

export const DeleteDevicesCommand = Exactly(selection, {
  examples: [{ filter: { neverSeen: true }, dryRun: true }],
})

export const DeletedDevices = Type.Object({
  deleted: Type.Integer(),
  connected: Type.Integer({ description: 'Of these, whose connections end' }),
})

import { Type } from 'typebox'
import { LOG_SEVERITIES } from '../../formats/device-messages/model.ts'
import { KEY_ROTATION_STATES } from '../../formats/key-rotation.ts'
import { IMAGE_REPORT_STATES } from '../../formats/provenance/image-hash.ts'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  PageRequest,
  Reference,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import { FirmwareVersionReference, MarkedVersionReference, MarkSchema } from '../firmware/index.ts'
import { BlindSpotKinds } from './list/schemas.ts'
import { DEVICE_SORT_COLUMNS, WORST } from './list/store.ts'
import { DOORS } from './reactions.ts'

const DeviceId = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
  description: 'The name of the device, unique in the workspace: letters, digits, ".", "_" and "-"',
  examples: ['gw-0001'],
})
const Description = Nullable(Type.String({ maxLength: 4000 }))
const MOST_TAGS = 100
export const Tag = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', examples: ['beta'] })
const Tags = Type.Array(Tag, { maxItems: MOST_TAGS, examples: [['beta', 'site-7']] })
const Attributes = Type.Record(
  // The same limit as in hawkBit, so that a client can send back what it read.
  Type.String({ pattern: '^[\\s\\S]{1,128}$' }),
  Type.Union([Type.String({ maxLength: 1024 }), Type.Number(), Type.Boolean()]),
  { maxProperties: 200, additionalProperties: false, examples: [{ board: 'rev-c' }] },
)

const fields = {
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  attributes: Type.Optional(Attributes),
}
const NewDevice = { id: DeviceId, ...fields }

export const CreateDeviceCommand = ExactShape('NewDevice', NewDevice, {
  examples: [{ id: 'gw-0001', tags: ['beta'] }],
})

export const ImportDevicesCommand = Exactly(
  { devices: Type.Array(ExactShape('NewDevice', NewDevice), { minItems: 1, maxItems: 1000 }) },
  { examples: [{ devices: [{ id: 'gw-0001' }, { id: 'gw-0002', tags: ['beta'] }] }] },
)

export const ImportedDevices = Shape('ImportedDevices', {
  created: Type.Array(Type.String()),
  existing: Type.Array(Type.String(), {
    description: 'Devices that were registered before. They stay as they are',
  }),
})

const RunningFirmware = Shape('RunningFirmware', {
  slug: Type.String({ description: 'Empty for a build id that no firmware version has' }),
  version: Type.String(),
  buildId: Nullable(Type.String()),
  since: Timestamp,
  confirmed: Type.Boolean({
    description: 'False: the client reported the installation, and does not report what runs',
  }),
  isBlindSpot: Type.Boolean({
    description:
      'Whether no firmware version has this name or build id, or the image is not that of the version (`image`)',
  }),
  image: Shape('ImageReport', {
    hash: Nullable(Type.String(), {
      description:
        'The attribute imageHash.<slug>, or imageHash of a device that runs nothing else, in normal form; null: it reports none',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    state: OneOf('ImageReportState', IMAGE_REPORT_STATES),
    imageOf: Type.Array(FirmwareVersionReference, {
      description: 'Firmware versions whose image has the hash',
    }),
  }),
  firmwareVersion: Nullable(MarkedVersionReference),
})

export const KeyRotationState = OneOf('KeyRotationState', KEY_ROTATION_STATES)

const KeyRotation = Shape('KeyRotation', {
  state: KeyRotationState,
  standing: Type.String({ description: 'What holds now, in a sentence' }),
  askedAt: Timestamp,
  askedByEmail: Nullable(Type.String()),
  isScheduled: Type.Boolean({
    description: 'Whether it was asked for the age of its key, and not by somebody',
  }),
  toldAt: Nullable(Timestamp, { description: 'When the device was told first' }),
  fetchedAt: Nullable(Timestamp, { description: 'When it last fetched a key' }),
  doneAt: Nullable(Timestamp, { description: 'When it used its new key first' }),
})

const KeyRotationStates = Type.Array(KeyRotationState, {
  minItems: 1,
  maxItems: KEY_ROTATION_STATES.length,
  description: 'Devices that were asked to fetch their next keys, by how far they are',
})

export const Device = Shape('Device', {
  id: Type.String(),
  description: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  attributes: Type.Record(Type.String(), Type.Unknown()),
  alternation: Nullable(
    Type.Object({
      name: Type.String({
        examples: ['serial'],
        description: 'The attribute, or firmware and its slug',
      }),
      values: Type.Array(Type.String(), { description: 'The one before, and the present one' }),
      returns: Type.Integer({ description: 'How often the value went back to the one before' }),
      lastAt: Timestamp,
    }),
    {
      description:
        'Set where two devices seem to report under this id, as those with a copied disk do: a value of the hardware went to and fro in the last week, or a version did at least three times',
    },
  ),
  unnamedVersion: Nullable(
    Type.Object({
      attribute: Type.String({ examples: ['version'] }),
      version: Type.String({ examples: ['2.4.1'] }),
    }),
    {
      description:
        'Set where a hawkBit client reports a version and nothing says of which firmware, as the workspace has several: let it report `firmware.<slug>` instead',
    },
  ),
  cohort: Nullable(Reference),
  connected: Type.Boolean(),
  door: Nullable(Type.Enum([...DOORS])),
  client: Nullable(Type.String()),
  createdAt: Timestamp,
  firstSeenAt: Nullable(Timestamp),
  lastSeenAt: Nullable(Timestamp),
  reportedAt: Nullable(Timestamp, { description: 'When it last reported what it runs' }),
  firmware: Type.Array(RunningFirmware, { description: 'What it reports to run, by slug' }),
  worst: Nullable(OneOf('WorstSeverity', WORST), {
    description:
      'The worst severity of the active findings of all that it runs, as the exposure counts it; null: it runs no known version',
  }),
  exploited: Type.Boolean({
    description: 'Whether an active finding of what it runs is known to be exploited',
  }),
  configuration: Type.Object({
    desiredVersion: Type.Integer(),
    desiredLogSeverity: OneOf('LogSeverity', LOG_SEVERITIES),
    acknowledgedVersion: Nullable(Type.Integer()),
  }),
  currentUpdate: Nullable(
    Type.Object({
      deploymentId: Type.String(),
      deploymentName: Type.String(),
      state: Type.String({ examples: ['inProgress'] }),
      progress: Nullable(Type.Integer()),
      reason: Nullable(Type.String()),
    }),
    { description: 'Its update of the active deployment of its cohort' },
  ),
  lastUpdatedAt: Nullable(Timestamp, {
    description: 'When an update by a deployment last succeeded',
  }),
  keyRotation: Nullable(KeyRotation, {
    description: 'The newest request to fetch its next key; null: it was never asked',
  }),
  oldestKeyAt: Nullable(Timestamp, {
    description:
      'When the oldest of its own keys in force was made; null: it has none of its own, and connects with a certificate or a key of all devices',
  }),
})

export const ChangeDeviceCommand = Replacing(
  Exactly(fields, { examples: [{ tags: ['beta', 'site-7'], attributes: { board: 'rev-d' } }] }),
  Device,
)

const Ids = Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1000 })
const Time = Type.String({ format: 'date-time' })

export const DeviceFilter = ExactShape(
  'DeviceFilter',
  {
    cohortIds: Type.Optional({ ...Ids, description: 'Ids or names' }),
    inCohort: Type.Optional(Type.Boolean()),
    firmwareIds: Type.Optional({
      ...Ids,
      description: 'Devices that run a known version of one of them; ids, slugs or names',
    }),
    firmwareVersionIds: Type.Optional({ ...Ids, description: 'Ids, or slug@name' }),
    cveIds: Type.Optional({
      ...Ids,
      description:
        'Devices that run a version with an active finding of one of these vulnerabilities or aliases',
    }),
    vulnerable: Type.Optional(
      Type.Boolean({ description: 'Whether it runs a version with an active finding' }),
    ),
    exploited: Type.Optional(
      Type.Boolean({
        description:
          'Whether it runs a version with an active finding that is known to be exploited',
      }),
    ),
    worst: Type.Optional(
      Type.Array(OneOf('WorstSeverity', WORST), {
        minItems: 1,
        maxItems: WORST.length,
        description:
          'Devices by the worst severity of the active findings of all that they run, as the exposure counts them. NotJudged: no findings, and of a version that they run nothing is known, or they run no known version. Clean: no active finding',
      }),
    ),
    marks: Type.Optional(
      Type.Array(MarkSchema.properties.state, {
        minItems: 1,
        maxItems: 4,
        description:
          'Devices that run a registered version with one of these marks; with firmwareIds, a version of these firmwares',
      }),
    ),
    blindSpot: Type.Optional(
      Type.Boolean({
        description:
          'Whether it runs a version that no firmware version matches, or reports the hash of an image that is not that of its version',
      }),
    ),
    blindSpotKinds: Type.Optional({
      ...BlindSpotKinds,
      description: 'Devices with a blind spot of one of these kinds',
    }),
    imageHashes: Type.Optional({
      ...Ids,
      description: 'Devices that report one of these hashes as that of their image',
    }),
    keyRotation: Type.Optional(KeyRotationStates),
    ownKey: Type.Optional(
      Type.Boolean({
        description: 'Whether it has a key of its own that is in force and was used',
      }),
    ),
    ownKeyMadeBefore: Type.Optional({
      ...Time,
      description: 'Devices with a key of their own in force that was made before this instant',
    }),
    connected: Type.Optional(Type.Boolean()),
    neverSeen: Type.Optional(Type.Boolean()),
    lastSeenBefore: Type.Optional(Time),
    lastSeenAfter: Type.Optional({ ...Time, description: 'At this instant or later' }),
    tags: Type.Optional(
      Type.Array(Tag, { maxItems: MOST_TAGS, description: 'Devices with one of them' }),
    ),
    allTags: Type.Optional(
      Type.Array(Tag, { maxItems: MOST_TAGS, description: 'Devices with all of them' }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A part of the id or description, in upper or lower case',
      }),
    ),
  },
  { description: 'A device matches when it matches any entry of each list, and all fields' },
)

export const ListDevicesCommand = Exactly(
  {
    sortColumn: Type.Optional(Type.Enum([...DEVICE_SORT_COLUMNS], { default: 'Id' })),
    ascending: Type.Optional(Type.Boolean({ default: true })),
    ...PageRequest,
    filter: Type.Optional(DeviceFilter),
  },
  { examples: [{ limit: 100, filter: { connected: true, tags: ['beta'] } }] },
)

const page = { nextCursor: Type.Optional(Type.String()), hasMore: Type.Boolean() }

export const DevicePage = Shape('DevicePage', { devices: Type.Array(Device), ...page })

export const DeviceSummary = Shape('DeviceSummary', {
  devices: Type.Integer(),
  connected: Type.Integer(),
  seenLastDay: Type.Integer({ description: 'Not connected, seen in the last 24 hours' }),
  seenLastWeek: Type.Integer({
    description: 'Not connected, seen in the last 7 days, but not in the last 24 hours',
  }),
  older: Type.Integer({ description: 'Not connected, not seen in the last 7 days' }),
  neverSeen: Type.Integer(),
  neverReported: Type.Integer({ description: 'Seen, but never reported what they run' }),
  inNoCohort: Type.Integer(),
  olderExploited: Type.Integer({
    description: 'Of older, those that the filter exploited selects',
  }),
  blindSpotDevices: Type.Integer({ description: 'Devices that the filter blindSpot selects' }),
  blindSpots: Type.Integer({ description: 'The number of entries of POST …/blind-spots/list' }),
  unknownVersionDevices: Type.Integer({
    description: 'Devices that run a version that no firmware version matches',
  }),
  otherImageDevices: Type.Integer({
    description: 'Devices that report the hash of an image that is not that of their version',
  }),
  vulnerableDevices: Type.Integer({
    description: 'Devices that run a version with an active finding',
  }),
  exploitedDevices: Type.Integer({ description: 'Devices that the filter exploited selects' }),
})

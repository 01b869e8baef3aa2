import { Type } from 'typebox'
import { FirmwareReference, FirmwareVersionReference } from '../firmware/index.ts'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  PageRequest,
  Reference,
  Shape,
  Timestamp,
  totalCountFields,
} from '../../platform/http/schemas.ts'
import { FRAME_KINDS } from './stack.ts'
import { GROUP_SORT_COLUMNS } from './store.ts'
import { NOVELTIES } from './version-store.ts'

const Uuid = Type.String({ format: 'uuid' })
const CrashState = OneOf('CrashState', ['Open', 'Closed'])
const Count = Type.Integer({ minimum: 0 })
const BuildId = Nullable(Type.String(), {
  description: 'The build of the addresses: its build id, or slug@version where a crash names none',
})

export const CrashGroupsQuery = Type.Object({
  ...PageRequest,
  firmwareId: Type.Optional(Uuid),
  firmwareVersionId: Type.Optional(
    Type.String({ format: 'uuid', description: 'Those that crashed in this version' }),
  ),
  newSince: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'A firmware version: those that crashed in it or in a later one, and in none that was created before',
    }),
  ),
  state: Type.Optional(CrashState),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Text in the reason or in a frame, in any case' }),
  ),
  sort: Type.Optional(Type.Enum([...GROUP_SORT_COLUMNS], { default: 'lastSeenAt' })),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'desc' })),
})

const groupFields = {
  id: Type.String(),
  title: Type.String({ examples: ['HardFault in modem_poll'] }),
  reason: Type.String(),
  frames: Type.Array(Type.String(), {
    description: 'What makes the group: names of functions, the innermost first, or addresses',
  }),
  isNamed: Type.Boolean({
    description:
      'Whether frames are names, so that the same crash of several builds is one group. false: lines of the build are not uploaded',
  }),
  buildId: Nullable(Type.String(), { description: 'Of addresses; null: frames are names' }),
  firmware: Nullable(FirmwareReference, {
    description: 'null: it is not known which firmware the devices ran',
  }),
  state: CrashState,
  fixedIn: Nullable(Reference, { description: 'The version that mends it' }),
  closedAt: Nullable(Timestamp),
  closedByEmail: Nullable(Type.String()),
  reopenedAt: Nullable(Timestamp, {
    description: 'When it came back in the version that was to mend it, or in a later one',
  }),
  firstSeenAt: Timestamp,
  firstVersion: Nullable(Reference, { description: 'The oldest version that crashed' }),
  lastSeenAt: Timestamp,
  lastVersion: Nullable(Reference, { description: 'The newest version that crashed' }),
  crashCount: Count,
  deviceCount: Type.Integer({
    minimum: 0,
    description: 'Devices that crashed within the retention of metrics',
  }),
}

const CrashGroup = Shape('CrashGroup', groupFields)

const notKeptFields = {
  droppedCount: Type.Integer({
    minimum: 0,
    description: 'Crashes that were counted but not kept: more than 60 of a device in an hour',
  }),
  malformedCount: Type.Integer({ minimum: 0, description: 'Crashes that could not be read' }),
  lastFault: Nullable(Type.String(), { description: 'Why the last one could not be read' }),
}

export const CrashGroupPage = Shape('CrashGroupPage', {
  crashGroups: Type.Array(CrashGroup),
  hasMore: Type.Boolean(),
  nextCursor: Type.Optional(Type.String()),
  ...totalCountFields,
  ...notKeptFields,
})

const SourceLine = ExactShape('SourceLine', {
  function: Nullable(Type.String({ minLength: 1, maxLength: 500 })),
  file: Nullable(Type.String({ minLength: 1, maxLength: 500 })),
  line: Nullable(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
})

const CrashFrame = Shape('CrashFrame', {
  kind: OneOf('CrashFrameKind', FRAME_KINDS),
  address: Type.String({ description: 'As reported', examples: ['0x800abcd'] }),
  lookup: Nullable(Type.String(), {
    description:
      'The address in the build to look for: without the load address, of return addresses the call before. null: outside of the image',
  }),
  lines: Nullable(Type.Array(SourceLine), {
    description:
      'The innermost inlined function first. Empty: the debug information does not know it. null: no lines were uploaded for it',
  }),
})

const CrashReport = Shape('CrashReport', {
  id: Type.String(),
  crashGroupId: Type.String(),
  deviceId: Type.String(),
  reason: Type.String(),
  time: Timestamp,
  deviceTime: Nullable(Timestamp, {
    description: 'The time by the clock of the device, where that is not plausible',
  }),
  firmwareVersion: Nullable(Reference, {
    description: 'What the device ran when it crashed; null: not known',
  }),
  buildId: BuildId,
  runId: Nullable(Type.String()),
  thread: Nullable(Type.String()),
  frames: Type.Array(CrashFrame),
  notResolved: Nullable(Type.String(), {
    description: 'Why frames have no lines; null: all of them were looked up',
    examples: ['no lines for build 4be1d0a7'],
  }),
})

export const CrashGroupDetail = Shape('CrashGroupDetail', {
  ...groupFields,
  versions: Type.Array(
    Shape('CrashVersionCount', {
      firmwareVersion: Nullable(Reference, { description: 'null: not known' }),
      crashCount: Count,
      deviceCount: Count,
      firstSeenAt: Timestamp,
      lastSeenAt: Timestamp,
    }),
  ),
  devices: Type.Array(
    Shape('CrashDeviceCount', {
      deviceId: Type.String(),
      crashCount: Count,
      lastAt: Timestamp,
      droppedCount: Type.Integer({
        minimum: 0,
        description: 'Crashes of the device that were counted but not kept, of whatever group',
      }),
    }),
    { description: 'The 100 that crashed last' },
  ),
  reports: Type.Array(CrashReport, { description: 'The newest 20' }),
})

export const CloseCrashGroupCommand = Exactly(
  {
    fixedInVersionId: Type.String({
      format: 'uuid',
      description: 'The version that mends it',
      examples: ['019a0b50-11aa-7c44-8d21-6f3e9b5a7c02'],
    }),
  },
  { examples: [{ fixedInVersionId: '019a0b50-11aa-7c44-8d21-6f3e9b5a7c02' }] },
)

export const VersionCrashes = Shape('VersionCrashes', {
  crashCount: Count,
  newCount: Type.Integer({ minimum: 0, description: 'Groups that no earlier version has' }),
  unknownCount: Type.Integer({
    minimum: 0,
    description: 'Groups that cannot be compared with those of earlier versions',
  }),
  crashGroups: Type.Array(
    Shape('VersionCrash', {
      id: Type.String(),
      title: Type.String(),
      reason: Type.String(),
      frames: Type.Array(Type.String()),
      isNamed: Type.Boolean(),
      buildId: Nullable(Type.String()),
      state: CrashState,
      novelty: Type.Enum([...NOVELTIES], {
        description:
          'New: no version of the firmware that was created before crashed alike. Unknown: lines of the build are not uploaded, and an earlier version crashed for the same reason',
      }),
      crashCount: Count,
      deviceCount: Count,
      firstSeenAt: Timestamp,
      lastSeenAt: Timestamp,
    }),
    { description: 'Those of the most devices first, at most 1,000' },
  ),
})

export const DeviceCrashes = Shape('DeviceCrashes', {
  reports: Type.Array(CrashReport, { description: 'The newest 50' }),
  keptCount: Type.Integer({ minimum: 0, description: 'Within the retention of metrics' }),
  ...notKeptFields,
})

export const CrashBuildsQuery = Type.Object({
  ...PageRequest,
  state: Type.Optional(
    Type.Enum(['Open', 'Resolved'], { description: 'Open: with addresses that have no lines' }),
  ),
})

export const CrashBuildPage = Shape('CrashBuildPage', {
  crashBuilds: Type.Array(
    Shape('CrashBuild', {
      buildId: Type.String(),
      firmwareVersion: Nullable(FirmwareVersionReference, {
        description: 'null: no firmware version has this build id',
      }),
      addressCount: Type.Integer({ minimum: 0, description: 'Addresses in the kept reports' }),
      openAddressCount: Type.Integer({ minimum: 0, description: 'Those without lines' }),
      linesAt: Nullable(Timestamp, { description: 'When lines were uploaded last' }),
      linesByEmail: Nullable(Type.String()),
    }),
  ),
  hasMore: Type.Boolean(),
  nextCursor: Type.Optional(Type.String()),
})

export const CrashAddressesQuery = Type.Object({
  which: Type.Optional(
    Type.Enum(['Open', 'All'], {
      default: 'Open',
      description: 'All: also those that have lines already',
    }),
  ),
})

export const MOST_ADDRESSES = 10_000

export const CrashAddresses = Shape('CrashAddresses', {
  buildId: Type.String(),
  addresses: Type.Array(Type.String({ examples: ['0x800abcd'] }), {
    description: `To look for in the debug information as they are, at most ${MOST_ADDRESSES.toLocaleString('en')}`,
  }),
  linesAt: Nullable(Timestamp),
})

export const PutCrashLinesCommand = Exactly(
  {
    lines: Type.Array(
      ExactShape('CrashLine', {
        address: Type.String({ pattern: '^0[xX][0-9a-fA-F]{1,16}$', examples: ['0x800abcd'] }),
        frames: Type.Array(SourceLine, {
          maxItems: 32,
          description:
            'The innermost inlined function first. Empty: the debug information does not know the address',
        }),
      }),
      { minItems: 1, maxItems: 2_000 },
    ),
  },
  {
    examples: [
      {
        lines: [
          {
            address: '0x800abcd',
            frames: [{ function: 'modem_poll', file: 'src/modem.c', line: 118 }],
          },
        ],
      },
    ],
  },
)

export const PutCrashLines = Shape('PutCrashLines', {
  buildId: Type.String(),
  lineCount: Type.Integer({ minimum: 0, description: 'Addresses of the build with lines, in all' }),
  openAddressCount: Type.Integer({
    minimum: 0,
    description: 'Addresses that are still to look up',
  }),
  movedCount: Type.Integer({
    minimum: 0,
    description: 'Stacks that are in another group now, as their functions have names',
  }),
})

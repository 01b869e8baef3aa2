import { Type } from 'typebox'
import { FirmwareReference } from '../firmware/index.ts'
import {
  Exactly,
  Nullable,
  OneOf,
  PageRequest,
  Reference,
  Shape,
  Timestamp,
  totalCountFields,
} from '../../platform/http/schemas.ts'
import { SourceLine } from './lines/schemas.ts'
import { KNOWN_BY } from './reporting/store.ts'
import { FRAME_KINDS } from './stack.ts'
import { GROUP_SORT_COLUMNS } from './store.ts'
import { NOVELTIES, OBSTACLES } from './version-store.ts'

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

const CrashGroup = Shape('CrashGroup', {
  ...groupFields,
  recentCounts: Type.Array(Nullable(Count), {
    description:
      'Crashes on each of the last 14 days (UTC), the oldest first. null: not measured, as no device that reports crashes was heard from',
  }),
})

const notKeptFields = {
  droppedCount: Type.Integer({
    minimum: 0,
    description:
      'Crashes that were counted but not kept: more than 60 of a device in an hour, or more different stacks than a workspace may have',
  }),
  malformedCount: Type.Integer({ minimum: 0, description: 'Crashes that could not be read' }),
  lastFault: Nullable(Type.String(), { description: 'Why the last one could not be read' }),
}

/** How far a number of crashes can be trusted. */
export const CrashReporting = Shape('CrashReporting', {
  reportingDeviceCount: Type.Integer({
    minimum: 0,
    description: 'Devices that report crashes: they say so, or have sent one',
  }),
  otherDeviceCount: Type.Integer({
    minimum: 0,
    description:
      'Devices of which nothing says that they do: without a crash they may have any number',
  }),
  unknownDeviceCount: Type.Integer({
    minimum: 0,
    description:
      'Of otherDeviceCount: devices that said earlier that they report crashes and left it out of a later session, or that only ever sent a crash, more than 30 days ago',
  }),
})

/** Why a crash cannot be compared. */
export const UnknownBecause = Nullable(OneOf('CrashObstacle', OBSTACLES), {
  description:
    'LinesMissing: lines of the build are not uploaded, and an earlier version crashed for the same reason. NotMeasured: no device with an earlier version reported crashes. null: novelty is not Unknown',
})

export const CrashGroupPage = Shape('CrashGroupPage', {
  crashGroups: Type.Array(CrashGroup),
  hasMore: Type.Boolean(),
  nextCursor: Type.Optional(Type.String()),
  ...totalCountFields,
  reporting: CrashReporting,
  isComparable: Nullable(Type.Boolean(), {
    description:
      'Whether devices with a version before newSince reported crashes, or there is none. false: nobody can tell what is new. null: newSince is not given',
  }),
  ...notKeptFields,
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
  days: Type.Array(
    Shape('CrashGroupDay', {
      day: Type.String({ format: 'date' }),
      crashCount: Count,
      deviceCount: Type.Integer({ minimum: 0, description: 'Devices that crashed' }),
      reportingDeviceCount: Type.Integer({
        minimum: 0,
        description:
          'Devices with the firmware that report crashes and were heard from, once for each version. 0: a day without a crash was not measured',
      }),
    }),
    { description: 'The last 30 days (UTC), the oldest first' },
  ),
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
  reporting: CrashReporting,
  trends: Type.Array(
    Shape('CrashTrend', {
      firmwareVersion: Reference,
      days: Type.Array(
        Shape('CrashVersionDay', {
          day: Type.String({ format: 'date' }),
          reportingDeviceCount: Type.Integer({
            minimum: 1,
            description: 'Devices that report crashes and were heard from',
          }),
          crashedDeviceCount: Type.Integer({ minimum: 0, description: 'Those that crashed' }),
          crashCount: Count,
        }),
        { description: 'Of the last 30 (UTC). Those that are left out were not measured' },
      ),
    }),
    {
      description:
        'The version and those before it that were measured in these days, the newest first, at most 5',
    },
  ),
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
          'New: no version of the firmware that was created before crashed alike. Unknown: that cannot be told',
      }),
      unknownBecause: UnknownBecause,
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
  reportsSince: Nullable(Timestamp, {
    description:
      'Since when it is known to report crashes: it says so, or it sent one. null: nothing says that it does, so that no crash means nothing',
  }),
  unknownSince: Nullable(Timestamp, {
    description:
      'Since when nobody knows whether it still reports crashes: it said so before and left it out of a later session, or it only ever sent a crash, the last one 30 days before',
  }),
  knownBy: Nullable(OneOf('CrashReportingSign', KNOWN_BY), {
    description:
      'How it was known, also where it is not any more. Claim: it said so itself. Crash: it sent one, and says nothing of it. null: nothing ever said so',
  }),
  knownUntil: Nullable(Timestamp, {
    description:
      'Of a device that is known by a crash alone: from then on nobody knows, unless it sends another crash or says so. null: it says so itself, or it is not known',
  }),
  keptCount: Type.Integer({ minimum: 0, description: 'Within the retention of metrics' }),
  ...notKeptFields,
})

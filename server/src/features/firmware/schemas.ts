import { Type } from 'typebox'
import { PERIOD_STATES, STATED_FOR } from '../../formats/support/periods.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import {
  Exactly,
  Name,
  Nullable,
  OneOf,
  Reference,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { LineOfVersion } from './lines/schemas.ts'
import { MARK_RULES, MARK_STATES, VERDICTS } from './mark/mark.ts'

const Slug = Type.String({
  pattern: '^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$',
  description: 'Lower-case letters, digits, ".", "_" and "-"; unique in the workspace',
  examples: ['gateway-main'],
})
export const DEFAULT_PART = 'bApp'
const Description = Nullable(Type.String({ maxLength: 4000 }))

const Part = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  default: DEFAULT_PART,
  description: 'The type of software that hawkBit clients see: bApp, os, or a name of your own',
})

const SupportEndsOn = Nullable(
  Type.String({
    format: 'date',
    examples: ['2031-12-31'],
  }),
  {
    description:
      'Until when you promise to support what runs it: the first day without fixes; null: nothing is promised',
  },
)

export const CreateFirmwareCommand = Exactly(
  {
    slug: Slug,
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    part: Type.Optional(Part),
    supportEndsOn: Type.Optional(SupportEndsOn),
  },
  { examples: [{ slug: 'gateway-main', name: 'Gateway main image' }] },
)

const UpdateCommand = Exactly(
  {
    slug: Slug,
    name: Name,
    description: Type.Optional(Description),
    part: Type.Optional(Part),
    supportEndsOn: Type.Optional(SupportEndsOn),
  },
  { examples: [{ slug: 'gateway-main', name: 'Gateway main image', description: null }] },
)

export const Firmware = Shape('Firmware', {
  id: Type.String(),
  slug: Slug,
  name: Name,
  description: Description,
  part: Part,
  supportEndsOn: SupportEndsOn,
  versionCount: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const UpdateFirmwareCommand = Replacing(UpdateCommand, Firmware)

export const FirmwareList = Shape('FirmwareList', { firmwares: Type.Array(Firmware) })

const MOST_CHARACTERS = 1000
const identifiers = {
  buildId: Nullable(Type.String({ minLength: 1, maxLength: 256, pattern: '\\S' }), {
    description:
      'An id that the build writes into the image, like the build id of an ELF file; unique in the workspace. Devices may report it instead of slug and version',
    examples: ['5fd0a1c6ee0ea2c7bd1f9d0b61f0c3a7a6a8e8f1'],
  }),
  purl: Nullable(Type.String({ maxLength: MOST_CHARACTERS }), {
    description:
      'The purl by which VEX statements name this product; null: pkg:generic/<slug>@<name>',
  }),
  cpe: Nullable(Type.String({ maxLength: MOST_CHARACTERS }), {
    description: 'A CPE 2.3 name by which VEX statements may also name this product',
  }),
  predecessorId: Nullable(Type.String(), {
    description:
      'The version of this firmware from which assessments are carried over; null: the newest earlier version of its release line with an SBOM, or for the first of a line, of any',
  }),
  statedLineId: Nullable(Type.String(), {
    description:
      'The release line that it is stated to belong to; null: the line whose patterns match its name',
  }),
  securityOnly: Nullable(Type.Boolean(), {
    description:
      'Whether it mends security alone, apart from features: Annex I, part II, (2) of Regulation (EU) 2024/2847; null: nobody has said',
  }),
}
const changes = {
  buildId: Type.Optional(identifiers.buildId),
  purl: Type.Optional(identifiers.purl),
  cpe: Type.Optional(identifiers.cpe),
  predecessorId: Type.Optional(identifiers.predecessorId),
  statedLineId: Type.Optional(identifiers.statedLineId),
  securityOnly: Type.Optional(identifiers.securityOnly),
}

export const CreateFirmwareVersionCommand = Exactly(
  { name: Name, ...changes },
  { examples: [{ name: '2.4.1' }] },
)

export const affectedDevicesFields = {
  affectedDeviceCount: Type.Integer({
    description: 'Devices that report the firmware version, whenever they last did',
  }),
  affectedDevices: Shape(
    'AffectedDevices',
    {
      runningNow: Type.Integer({ description: 'Connected' }),
      seenLastDay: Type.Integer({ description: 'Not connected, seen in the last 24 hours' }),
      seenLastWeek: Type.Integer({ description: 'Seen in the last 7 days, but not since' }),
      older: Type.Integer({ description: 'Not seen for longer' }),
    },
    { description: 'The same devices in four groups. Windows begin at a full hour' },
  ),
}

const mark = {
  state: Type.Enum([...MARK_STATES], {
    description:
      'What the release gate says. Overloaded: known-exploited findings, or critical ones without a decision. Unknown: no SBOM, one that is not read, sources that were never read, or components of which none can be looked up. ToDecide: high findings without a decision. Unknown, too: findings of unknown severity, or some components that cannot be looked up. Clear: none of these. The first that holds applies. Findings are active ones; without a decision: not assessed, or in triage',
    examples: ['Overloaded'],
  }),
  sentence: Type.String({ examples: ['Overloaded: 2 known exploited'] }),
  supportNote: Type.Optional(
    Type.String({
      description:
        'That its support is over or ends within 180 days, also in the sentence; absent: neither, or no end is known. The state does not depend on it',
      examples: ['out of support since 2026-10-01'],
    }),
  ),
}
export const Mark = Shape('Mark', mark, {
  description: 'The mark of a firmware version, in a word and in a sentence',
})

export const FirmwareReference = Shape('FirmwareReference', {
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
})
export const FirmwareVersionReference = Shape('FirmwareVersionReference', {
  ...Reference.properties,
  firmware: FirmwareReference,
})

export const MarkedVersionReference = Shape('MarkedVersionReference', {
  ...Reference.properties,
  mark: Mark,
  firmware: Reference,
})

const PeriodState = OneOf('SupportPeriodState', PERIOD_STATES)
const Day = Type.String({ format: 'date', examples: ['2032-01-01'] })

const SupportPeriod = Shape(
  'SupportPeriod',
  {
    state: PeriodState,
    endsOn: Nullable(Day, {
      description:
        'The first day without support, by the statement that counts; null: none is known',
    }),
    daysLeft: Nullable(Type.Integer(), { description: 'Negative: so many days are over' }),
    sentence: Type.String({
      examples: ['Supported until 2031-12-31, as stated for the product line Pump'],
    }),
    statements: Type.Array(
      Shape('SupportEndStatement', {
        statedFor: Type.Enum([...STATED_FOR]),
        name: Type.String({ description: 'That of the product line, release line or firmware' }),
        endsOn: Day,
        state: PeriodState,
      }),
      {
        description:
          'All that is stated for the version; the first counts: that of its product line (13(8)), else of its release line, else of its firmware. A release line replaces what its firmware states',
      },
    ),
  },
  {
    description:
      'Until when the maker promised to support it. Ended: the day has come. EndsSoon: within 180 days. NotKnown: nobody has stated an end, from which nothing follows',
  },
)

const version = {
  id: Type.String(),
  name: Name,
  ...identifiers,
  line: LineOfVersion,
  isNewestOfLine: Type.Boolean({
    description:
      'Whether it is the newest version of its line; those without a line are one. Where a firmware has no lines, of all its versions',
  }),
  createdAt: Timestamp,
  supportPeriod: SupportPeriod,
  sbomCount: Type.Integer(),
  ...affectedDevicesFields,
  firmware: Shape('FirmwareOfVersion', { id: Type.String(), slug: Slug, name: Name }),
}

export const FirmwareVersion = Shape('FirmwareVersion', {
  ...version,
  mark: Shape(
    'ExplainedMark',
    {
      ...mark,
      reasons: Type.Array(
        Type.Object({
          rule: Type.Enum([...MARK_RULES]),
          verdict: Type.Enum([...VERDICTS]),
          text: Type.String({ examples: ['2 known exploited'] }),
          count: Type.Integer(),
        }),
        { description: 'What each rule of the release gate says, also those that pass' },
      ),
    },
    { description: 'The mark of the version, and why it has it' },
  ),
})

export const ChangeFirmwareVersionCommand = Replacing(
  Exactly(
    { name: Name, ...changes },
    { examples: [{ purl: 'pkg:generic/acme/gateway-main@2.4.1' }] },
  ),
  FirmwareVersion,
)

export const FirmwareVersionList = Shape('FirmwareVersionList', {
  firmwareVersions: Type.Array(Shape('FirmwareVersionListItem', { ...version, mark: Mark })),
})

/** The rows of these versions are deleted; a job deletes their files. */
export const FirmwareVersionsDeleted = defineMessage(
  'firmware.versions-deleted',
  Type.Object({ workspaceId: Type.String(), firmwareVersionIds: Type.Array(Type.String()) }),
)

export const firmwareMessages = [FirmwareVersionsDeleted]

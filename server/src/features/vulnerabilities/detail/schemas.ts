/** One vulnerability over the workspace. */
import { Type } from 'typebox'
import { ExploitedSources, IsDisputed, SeveritySchema } from '../../advisories/index.ts'
import { ConfidenceSchema } from '../../matching/index.ts'
import { DECISION_SOURCES } from '../../../formats/assessments.ts'
import { ADVISORY_SOURCES } from '../../../formats/advisories/model.ts'
import {
  Exactly,
  Nullable,
  OneOf,
  Reference,
  Shape,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import {
  AssessmentSchema,
  EvidenceSchema,
  VersionLanes,
  VulnerabilitySchema,
} from '../../findings/index.ts'
import {
  FirmwareReference,
  FirmwareVersionReference,
  LineOfVersion,
  MarkSchema,
} from '../../firmware/index.ts'
import { SourceFreshness } from '../../feeds/index.ts'

const NullableText = Nullable(Type.String())

export const AffectedFirmwareVersion = Shape('AffectedFirmwareVersion', {
  id: Type.String(),
  name: Type.String(),
  mark: MarkSchema,
  firmware: FirmwareReference,
})

export const AffectedComponent = Shape('AffectedComponent', {
  name: Type.String({ examples: ['xz'] }),
  version: NullableText,
})

const Decision = Shape('DecisionOnFinding', {
  source: Type.Enum([...DECISION_SOURCES]),
  decidedByEmail: NullableText,
  decidedAt: Timestamp,
  justification: NullableText,
  response: NullableText,
  detail: NullableText,
})

const FleetVersionLine = Shape(
  'FleetVersionLine',
  {
    component: Type.String({
      description:
        'The one that most devices run; others that records know by the same name stand on the line, too',
    }),
    stops: Type.Array(Type.String(), {
      description: 'Bounds of ranges and versions of the component, in ascending order',
    }),
    lanes: VersionLanes,
    otherRangeCount: Type.Integer({
      description: 'Ranges that hold none of these versions, as those of other branches; not drawn',
    }),
    firmwares: Type.Array(
      Type.Object({
        firmware: FirmwareReference,
        places: Type.Array(
          Type.Object({
            stop: Type.Integer({ description: 'An index of `stops`' }),
            isFixed: Type.Boolean({ description: 'Whether these versions hold the fix' }),
            deviceCount: Type.Integer({ description: 'Devices that report them' }),
            firmwareVersions: Type.Array(Reference, { description: 'The newest first' }),
          }),
        ),
        unplaced: Type.Array(Reference, {
          description: 'Versions that cannot be ordered, or for which there is no room',
        }),
      }),
    ),
  },
  {
    description:
      'The affected ranges of each source and the firmware versions on one axis, to draw; null where nothing can be ordered',
  },
)

const TimelineEntry = Shape('VulnerabilityTimelineEntry', {
  type: Type.Enum(['Assessment', 'Ignored', 'Unignored']),
  timestamp: Timestamp,
  source: Type.Enum([...DECISION_SOURCES]),
  createdByEmail: NullableText,
  assessment: AssessmentSchema,
  detail: NullableText,
  isUndo: Type.Boolean({ description: 'It took back what a command had decided' }),
  findingCount: Type.Integer({ description: 'Findings of the vulnerability that it decided' }),
  firmwareVersionCount: Type.Integer(),
  firmwareVersions: Type.Array(Type.String({ examples: ['Gateway 4.2.0'] }), {
    description: 'Names of a few of them',
  }),
  decisionBatch: Nullable(
    Type.Object({
      id: Type.String(),
      findingCount: Type.Integer({ description: 'All findings that the command changed' }),
      isUndone: Type.Boolean(),
    }),
    { description: 'The command that wrote it, which can be taken back as a whole' },
  ),
})

/** What is kept of a finding for the past, too. */
const foundFields = {
  id: Type.String(),
  line: LineOfVersion,
  component: AffectedComponent,
  severity: SeveritySchema,
  assessment: AssessmentSchema,
  ignored: Type.Boolean(),
  isActive: Type.Boolean(),
  recheckReason: NullableText,
  confidence: ConfidenceSchema,
  detectedAt: Timestamp,
  decision: Nullable(Decision, { description: 'null: nobody has decided' }),
}

export const VulnerabilityDetail = Shape('WorkspaceVulnerabilityDetail', {
  cveId: Type.String({
    examples: ['CVE-2024-3094'],
    description: 'The id under which the workspace lists it; as asked, if no source knows it',
  }),
  isKnown: Type.Boolean({ description: 'Whether any source has a record of this id' }),
  vulnerability: Nullable(
    Type.Object({
      ...VulnerabilitySchema.properties,
      name: Type.String(),
      aliases: Type.Array(Type.String()),
      isKnownCisaExploit: Type.Boolean(),
      exploitedSources: ExploitedSources,
      isDisputed: IsDisputed,
      epssScore: Nullable(Type.Number()),
      epssPercentile: Nullable(Type.Number()),
    }),
  ),
  records: Type.Array(
    Shape('VulnerabilityRecord', {
      source: OneOf('AdvisorySource', ADVISORY_SOURCES),
      id: Type.String(),
      title: NullableText,
      status: NullableText,
      sourceUrl: Type.String(),
      isWithdrawn: Type.Boolean(),
      publishedAt: NullableText,
      modifiedAt: NullableText,
    }),
    { description: 'The record of each source' },
  ),
  detectedAt: Nullable(Timestamp, {
    description: 'When the first of the findings that hold now was detected; null: there is none',
  }),
  fixedVersions: Type.Array(Type.String(), {
    description:
      'Versions of the component of versionLine that are fixed upstream: the first one after each version that is in use here',
  }),
  findingCount: Type.Integer({
    description: 'A finding is the vulnerability of one package in one firmware version',
  }),
  activeFindingCount: Type.Integer(),
  firmwareVersionCount: Type.Integer(),
  activeFirmwareVersionCount: Type.Integer(),
  affectedDeviceCount: Type.Integer({
    description: 'Devices that run one of the firmware versions, each once, as in lists',
  }),
  activeDeviceCount: Type.Integer({
    description: 'Of these, those that run a version in which it is active',
  }),
  findings: Type.Array(
    Type.Object({
      ...foundFields,
      firmwareVersion: AffectedFirmwareVersion,
      deviceCount: Type.Integer({ description: 'Devices that report the firmware version' }),
      dueAt: Nullable(Timestamp, {
        description: 'By the target of its severity; null: the severity has none',
      }),
    }),
    { description: 'Active ones first, then on most devices; at most 1,000' },
  ),
  fixedIn: Type.Array(
    Type.Object({
      firmwareVersion: AffectedFirmwareVersion,
      line: LineOfVersion,
      component: Nullable(AffectedComponent, {
        description: 'Its component of the same name; null: it has none',
      }),
    }),
    {
      description:
        'Later versions of the same firmwares whose SBOMs were read and that have no such finding, the newest first, at most 100',
    },
  ),
  unfixedLines: Type.Array(
    Shape('UnfixedLine', {
      firmware: FirmwareReference,
      line: LineOfVersion,
    }),
    {
      description:
        'Release lines with active findings that have no such version, while another line of the firmware has one; `line` null: versions without a line',
    },
  ),
  versionLine: Nullable(FleetVersionLine),
  evidence: Type.Array(EvidenceSchema, {
    description: 'What was compared for the component of versionLine, each once, at most 50',
  }),
  timeline: Type.Array(TimelineEntry, {
    description: 'Decisions of one instant are one entry; newest first, at most 200',
  }),
  lookedAt: Type.Object(
    {
      firmwareVersionCount: Type.Integer({ description: 'Firmware versions with a read SBOM' }),
      packageCount: Type.Integer({
        description: 'Different packages that they hold, each matched with the records',
      }),
      newestSbomAt: Nullable(Timestamp),
      sources: Type.Array(SourceFreshness),
    },
    { description: 'What the answer rests on, above all where nothing is affected' },
  ),
})

export const PastVulnerabilityQuery = Exactly({
  asOf: Type.String({
    format: 'date-time',
    description: 'A past instant',
    examples: ['2026-10-01T00:00:00Z'],
  }),
})

export const PastVulnerability = Shape('PastVulnerability', {
  cveId: Type.String(),
  isKnown: Type.Boolean({ description: 'Whether any source has a record of this id now' }),
  name: Nullable(Type.String(), { description: 'As the records are now' }),
  exploitedSources: ExploitedSources,
  findingCount: Type.Integer(),
  activeFindingCount: Type.Integer(),
  firmwareVersionCount: Type.Integer(),
  activeFirmwareVersionCount: Type.Integer(),
  detectedAt: Nullable(Timestamp, {
    description: 'When the first of the findings that held then was detected',
  }),
  findings: Type.Array(
    Type.Object({
      ...foundFields,
      firmwareVersion: FirmwareVersionReference,
    }),
    { description: 'Active ones first, then in the newest versions; at most 1,000' },
  ),
  timeline: Type.Array(TimelineEntry, {
    description:
      'Decisions until then; those of one instant are one entry; newest first, at most 200',
  }),
  lookedAt: Nullable(
    Type.Object({
      firmwareVersionCount: Type.Integer({ description: 'Firmware versions that held packages' }),
      packageCount: Type.Integer({ description: 'Packages, counted in each firmware version' }),
    }),
    { description: 'What could be compared then, where nothing was found; else null' },
  ),
})

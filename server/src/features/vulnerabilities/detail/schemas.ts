/** One vulnerability over the workspace. */
import { Type } from 'typebox'
import { ExploitedSources, IsDisputed } from '../../advisories/index.ts'
import { ConfidenceSchema } from '../../matching/index.ts'
import { FEED_SOURCES } from '../../../config/feed-settings.ts'
import { ADVISORY_SOURCES } from '../../../formats/advisories/model.ts'
import { Nullable, OneOf, Shape, Timestamp } from '../../../platform/http/schemas.ts'
import { AssessmentSchema, VulnerabilitySchema } from '../../findings/index.ts'
import { FirmwareReference, MarkSchema } from '../../firmware/index.ts'

const NullableText = Nullable(Type.String())

const FirmwareVersion = Shape('AffectedFirmwareVersion', {
  id: Type.String(),
  name: Type.String(),
  mark: MarkSchema,
  firmware: FirmwareReference,
})

const Component = Shape('AffectedComponent', {
  name: Type.String({ examples: ['xz'] }),
  version: NullableText,
})

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
      id: Type.String(),
      firmwareVersion: FirmwareVersion,
      component: Component,
      assessment: AssessmentSchema,
      ignored: Type.Boolean(),
      isActive: Type.Boolean(),
      recheckReason: NullableText,
      confidence: ConfidenceSchema,
      deviceCount: Type.Integer({ description: 'Devices that report the firmware version' }),
    }),
    { description: 'Active ones first, then on most devices; at most 1,000' },
  ),
  fixedIn: Type.Array(
    Type.Object({
      firmwareVersion: FirmwareVersion,
      component: Nullable(Component, {
        description: 'Its component of the same name; null: it has none',
      }),
    }),
    {
      description:
        'Later versions of the same firmwares whose SBOMs were read and that have no such finding, the newest first, at most 100',
    },
  ),
  lookedAt: Type.Object(
    {
      firmwareVersionCount: Type.Integer({ description: 'Firmware versions with a read SBOM' }),
      packageCount: Type.Integer({
        description: 'Different packages that they hold, each matched with the records',
      }),
      newestSbomAt: Nullable(Timestamp),
      sources: Type.Array(
        Shape('SourceFreshness', {
          source: OneOf('FeedSource', FEED_SOURCES),
          lastCompleteAt: Nullable(Timestamp),
          isStale: Type.Boolean(),
        }),
      ),
    },
    { description: 'What the answer rests on, above all where nothing is affected' },
  ),
})

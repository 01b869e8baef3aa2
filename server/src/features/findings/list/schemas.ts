/** What lists of findings take and answer. */
import { Type } from 'typebox'
import { Exactly, Nullable, PageRequest, Timestamp } from '../../../platform/http/schemas.ts'
import { affectedDevicesFields } from '../../firmware/index.ts'
import { SORT_COLUMNS, WORKSPACE_SORT_COLUMNS } from '../assessment.ts'
import { AsOf, Assessment, Confidence, Severity, VulnerabilityCounts } from '../schemas.ts'

const MOST_ITEMS = 100

const filterFields = {
  severities: Type.Optional(Type.Array(Severity, { maxItems: MOST_ITEMS })),
  assessments: Type.Optional(Type.Array(Assessment, { maxItems: MOST_ITEMS })),
  ignored: Type.Optional(Type.Boolean()),
  knownCisaExploit: Type.Optional(Type.Boolean()),
  name: Type.Optional(
    Type.Array(Exactly({ contains: Type.String({ maxLength: 200 }) }), {
      maxItems: MOST_ITEMS,
      description:
        'Found in the name, the id or an alias, in the component’s name or in what its purl or CPE calls the product, in upper or lower case',
    }),
  ),
  components: Type.Optional(
    Type.Array(
      Exactly({
        vendor: Type.Optional(Type.String({ maxLength: 1000 })),
        packageName: Type.Optional(Type.String({ maxLength: 1000 })),
        version: Type.Optional(Type.String({ maxLength: 1000 })),
      }),
      { maxItems: MOST_ITEMS, description: 'As an SBOM declares them, to the letter' },
    ),
  ),
  confidences: Type.Optional(Type.Array(Confidence, { maxItems: MOST_ITEMS })),
  recheck: Type.Optional(
    Type.Boolean({ description: 'Whether somebody should look at its assessment again' }),
  ),
  detectedSince: Type.Optional(
    Type.String({ format: 'date-time', description: 'First there at this instant or later' }),
  ),
  proposed: Type.Optional(
    Type.Boolean({
      description:
        'Whether the finding is proposed as not affected, because the vulnerable code is in none of the source files the component was compiled from',
    }),
  ),
}
export const FindingFilter = Exactly(filterFields)

export const ListVulnerabilityFindingsCommand = Exactly(
  {
    sortColumn: Type.Optional(Type.Enum([...SORT_COLUMNS], { default: 'Severity' })),
    ascending: Type.Optional(Type.Boolean({ default: false })),
    ...PageRequest,
    filter: Type.Optional(FindingFilter),
    asOf: Type.Optional(AsOf),
  },
  {
    examples: [
      {
        sortColumn: 'Severity',
        ascending: false,
        limit: 100,
        filter: { severities: ['Critical'] },
      },
    ],
  },
)

export const VulnerabilityFindingPage = Type.Object({
  findings: Type.Array(
    Type.Object({
      id: Type.String(),
      cveId: Type.String({ examples: ['CVE-2021-44228'] }),
      name: Type.String(),
      componentName: Type.String({ examples: ['busybox'] }),
      componentVersion: Nullable(Type.String()),
      severity: Severity,
      assessment: Assessment,
      ignored: Type.Boolean(),
      isKnownCisaExploit: Type.Boolean(),
      detectedAt: Timestamp,
      cvssScore: Nullable(Type.Number()),
      epssScore: Nullable(Type.Number()),
      confidence: Confidence,
      recheckReason: Nullable(Type.String()),
      affectedDeviceCount: affectedDevicesFields.affectedDeviceCount,
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const VulnerabilitySummary = Type.Object({
  ...VulnerabilityCounts.properties,
  ...affectedDevicesFields,
})

const { proposed: _, ...workspaceFilterFields } = filterFields
const Ids = Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1000 })

export const ListWorkspaceFindingsCommand = Exactly(
  {
    sortColumn: Type.Optional(Type.Enum([...WORKSPACE_SORT_COLUMNS], { default: 'Severity' })),
    ascending: Type.Optional(Type.Boolean({ default: false })),
    ...PageRequest,
    filter: Type.Optional(
      Exactly(
        {
          ...workspaceFilterFields,
          cveIds: Type.Optional({ ...Ids, description: 'Ids of vulnerabilities, or aliases' }),
          firmwareIds: Type.Optional(Ids),
          firmwareVersionIds: Type.Optional(Ids),
          activeOnly: Type.Optional(Type.Boolean()),
          affectedDevicesOnly: Type.Optional(
            Type.Boolean({ description: 'Only what some device runs' }),
          ),
        },
        {
          description:
            'A row stands for findings in several firmware versions. activeOnly, affectedDevicesOnly, assessments, ignored and recheck keep it where one of them is all that is asked for; firmwareIds and firmwareVersionIds make it tell of those versions alone.',
        },
      ),
    ),
  },
  { examples: [{ limit: 100, filter: { cveIds: ['CVE-2024-3094'], activeOnly: true } }] },
)

export const WorkspaceFindingPage = Type.Object({
  findings: Type.Array(
    Type.Object({
      cveId: Type.String({ examples: ['CVE-2024-3094'] }),
      name: Type.String(),
      componentName: Type.String({
        examples: ['xz'],
        description: 'As the newest firmware version that holds it calls it',
      }),
      componentVersion: Nullable(Type.String({ examples: ['5.6.0'] })),
      severity: Severity,
      cvssScore: Nullable(Type.Number()),
      epssScore: Nullable(Type.Number()),
      isKnownCisaExploit: Type.Boolean(),
      confidence: Confidence,
      detectedAt: Timestamp,
      firmwareVersionCount: Type.Integer(),
      activeFirmwareVersionCount: Type.Integer({ description: 'Those in which it counts' }),
      assessments: Type.Array(Type.Object({ assessment: Assessment, count: Type.Integer() })),
      firmwareVersions: Type.Array(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          firmwareId: Type.String(),
          firmwareName: Type.String(),
          findingId: Type.String(),
        }),
        { description: 'The newest ones, at most 5' },
      ),
      affectedDeviceCount: Type.Integer({
        description: 'Devices that report one of the versions; each counts once',
      }),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

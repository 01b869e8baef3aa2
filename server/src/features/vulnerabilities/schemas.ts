/** Request and response of the list of vulnerabilities. */
import { Type } from 'typebox'
import { ExploitedSources, IsDisputed, SeveritySchema } from '../advisories/index.ts'
import {
  Exactly,
  Nullable,
  PageRequest,
  Reference,
  Saying,
  Shape,
  Timestamp,
  totalCountFields,
} from '../../platform/http/schemas.ts'
import { assignFields, discussionFields } from '../discussions/index.ts'
import { ownerFields } from '../owners/index.ts'
import { AssessmentCount, WorkspaceFindingFilterSchema } from '../findings/index.ts'
import { ssvcFields } from '../ssvc/index.ts'
import { CHIPS } from './chips.ts'

/** A row stands for several components and firmware versions, so it is not sorted by one of them. */
export const VULNERABILITY_SORT_COLUMNS = [
  'Risk',
  'Severity',
  'CvssScore',
  'EpssScore',
  'CveId',
  'Name',
  'KnownCisaExploit',
  'DetectedAt',
  'FindingCount',
  'Ssvc',
] as const

export const ListVulnerabilitiesCommand = Exactly(
  {
    sortColumn: Type.Optional(
      Type.Enum([...VULNERABILITY_SORT_COLUMNS], {
        default: 'Risk',
        description:
          'Risk: vulnerabilities that a list of exploitedSources names first, then those that devices run before those that none runs, then by severity, then by likelihood (EPSS score from 50 %, 10 %, 1 %, below), then by the magnitude of the number of devices (1 to 9, 10 to 99, and so on) of that package of it which most devices run, then by EPSS score',
      }),
    ),
    ascending: Type.Optional(Type.Boolean({ default: false })),
    ...PageRequest,
    filter: Type.Optional(WorkspaceFindingFilterSchema),
  },
  { examples: [{ limit: 100, filter: { severities: ['Critical'], activeOnly: true } }] },
)

export const VulnerabilityPage = Shape('WorkspaceVulnerabilityPage', {
  vulnerabilities: Type.Array(
    Shape('WorkspaceVulnerability', {
      cveId: Type.String({ examples: ['CVE-2024-3094'] }),
      name: Type.String(),
      severity: SeveritySchema,
      cvssScore: Nullable(Type.Number()),
      epssScore: Nullable(Type.Number()),
      isKnownCisaExploit: Type.Boolean(),
      exploitedSources: ExploitedSources,
      isDisputed: IsDisputed,
      detectedAt: {
        ...Timestamp,
        description: 'When the first of the findings that hold now was detected',
      },
      firmwareVersionCount: Type.Integer({ description: 'Firmware versions that have a finding' }),
      findingCount: Type.Integer({
        description: 'A finding is the vulnerability of one package in one firmware version',
      }),
      activeFindingCount: Type.Integer(),
      assessments: Type.Array(AssessmentCount, {
        description: 'Findings by assessment, most frequent first',
      }),
      affectedDeviceCount: Type.Integer({
        description: 'Number of devices that report one of the firmware versions, each device once',
      }),
      componentCount: Type.Integer({
        description: 'Packages that have the vulnerability: names, each in one version',
      }),
      components: Type.Array(
        Type.Object({
          name: Type.String({ examples: ['xz'] }),
          version: Nullable(Type.String({ examples: ['5.6.0'] })),
        }),
        { description: 'Those of the newest firmware versions first, at most 5' },
      ),
      ...ssvcFields,
      ...discussionFields,
      ...ownerFields,
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
  ...totalCountFields,
})

const MOST_ASSIGNED = 10_000

export const AssignVulnerabilitiesCommand = Saying(
  Exactly(
    {
      cveIds: Type.Optional(
        Type.Array(Type.String({ maxLength: 200 }), {
          minItems: 1,
          maxItems: MOST_ASSIGNED,
          description: 'Ids or aliases. State either cveIds or a filter',
        }),
      ),
      filter: Type.Optional(
        Saying(WorkspaceFindingFilterSchema, {
          minProperties: 1,
          description: 'All that the list of vulnerabilities has with this filter, at most 10,000',
        }),
      ),
      ...assignFields,
    },
    {
      examples: [
        { cveIds: ['CVE-2024-3094'], subjectId: null },
        { filter: { components: [{ packageName: 'xz' }] }, subjectId: null, dryRun: true },
      ],
    },
  ),
  { oneOf: [{ required: ['cveIds'] }, { required: ['filter'] }] },
)

const chip = {
  filter: Saying(WorkspaceFindingFilterSchema, {
    description: 'The filter of the request with that of the chip: the list with it has these rows',
  }),
  ...totalCountFields,
}
const Chip = Shape('FindingCount', chip)

/** The lists over a workspace: what a row of each stands for. */
export const COUNTED_LISTS = ['Vulnerability', 'Component', 'Finding'] as const

export const CountFindingsCommand = Exactly(
  {
    groupBy: Type.Optional(
      Type.Enum([...COUNTED_LISTS], {
        default: 'Vulnerability',
        description:
          'The list whose rows are counted: POST …/vulnerabilities/list, …/vulnerable-components/list, or …/vulnerability-findings/list',
      }),
    ),
    filter: Type.Optional(WorkspaceFindingFilterSchema),
    newSince: Type.Optional(
      Type.String({ format: 'date-time', description: 'Default: 24 hours ago' }),
    ),
    chips: Type.Optional(
      Type.Array(Type.Enum([...CHIPS]), {
        maxItems: CHIPS.length,
        description:
          'Only these; the others are null. Each costs about as much as a list. Without it, all but bySsvc and bySsvcOutcome',
      }),
    ),
  },
  { examples: [{ filter: { activeOnly: true }, chips: ['toDecide', 'exploited'] }] },
)

const OutcomeCount = Shape('OutcomeCount', {
  outcome: Type.String({ examples: ['Attend'] }),
  ...chip,
})

export const FindingCounts = Shape('FindingCounts', {
  toDecide: Nullable(Chip, {
    description: 'Rows with an active finding that is not assessed, or in triage',
  }),
  mine: Nullable(Chip, {
    description: 'Rows that whoever asks looks after; null for a key',
  }),
  exploited: Nullable(Chip, {
    description: 'Rows with an active finding that a list of exploitedSources names',
  }),
  newSince: Nullable(Chip, {
    description: 'Rows with an active finding, first detected at newSince or later',
  }),
  overdue: Nullable(Chip),
  recheck: Nullable(Chip, {
    description: 'Rows with a finding whose assessment should be checked again',
  }),
  bySeverity: Nullable(
    Type.Array(Type.Object({ severity: SeveritySchema, ...chip }), {
      description: 'All six severities, worst first',
    }),
  ),
  bySsvc: Nullable(
    Type.Array(OutcomeCount, {
      description:
        'Rows with each outcome of the SSVC tree or a more urgent one, the most urgent first; null unless `chips` names it',
    }),
  ),
  bySsvcOutcome: Nullable(
    Type.Array(OutcomeCount, {
      description:
        'The list grouped by outcome of SSVC, the most urgent first: the rows with each. Rows of groupBy Finding have one outcome each; others are counted with every outcome of their findings. null unless `chips` names it',
    }),
  ),
})

export const ListFindingFixesCommand = Exactly(
  { findingIds: Type.Array(Type.String({ maxLength: 300 }), { minItems: 1, maxItems: 200 }) },
  { examples: [{ findingIds: ['AaIhxrnNc9S__9ZqFKZiUbegqvSKZII9thB9d45Ld9ZDVkUtMjAyMy0z'] }] },
)

export const FindingFixes = Shape('FindingFixes', {
  laterVersionCount: Type.Integer({
    description: 'Later versions of the firmware that were read and looked at; at most 50',
  }),
  fixes: Type.Array(
    Shape('FindingFix', {
      findingId: Type.String(),
      fixedVersions: Type.Array(Type.String(), {
        description: 'Versions of the component that records name as fixed; empty: none names one',
        examples: [['3.5.7']],
      }),
      fixedIn: Nullable(Reference, {
        description:
          'The firmware version of the same release line; null: the newest of the line that was read has it too, or is this one',
      }),
    }),
  ),
})

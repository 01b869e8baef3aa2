/** Requests and responses of the lists of findings. */
import { type Static, Type } from 'typebox'
import { ExploitedSources, IsDisputed, SeveritySchema } from '../../advisories/index.ts'
import { ConfidenceSchema } from '../../matching/index.ts'
import {
  Containing,
  Exactly,
  ExactShape,
  Nullable,
  PageRequest,
  Shape,
  Timestamp,
  totalCountFields,
} from '../../../platform/http/schemas.ts'
import { NotMatchedYet } from '../../coverage/index.ts'
import { assigneeFilterFields, discussionFields } from '../../discussions/index.ts'
import { affectedDevicesFields } from '../../firmware/index.ts'
import { ownerFields, ownerFilterFields } from '../../owners/index.ts'
import { ssvcFields, ssvcFilterFields } from '../../ssvc/index.ts'
import {
  AsOf,
  Assessment,
  AssessmentCount,
  ComponentSource,
  SORT_COLUMNS,
  WORKSPACE_SORT_COLUMNS,
} from '../schemas.ts'

const MOST_ITEMS = 100
/** Each text of a workspace is compared with each pattern. */
const MOST_PATTERNS = 20

const Ids = Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1000 })

const filterFields = {
  activeOnly: Type.Optional(
    Type.Boolean({
      description:
        'true: only findings that count, as in the summary: not ignored, not assessed as NotAffected, FalsePositive or Resolved, and of Low confidence only where somebody confirmed them',
    }),
  ),
  cveIds: Type.Optional({ ...Ids, description: 'Ids of vulnerabilities, or aliases' }),
  severities: Type.Optional(Type.Array(SeveritySchema, { maxItems: MOST_ITEMS })),
  assessments: Type.Optional(Type.Array(Assessment, { maxItems: MOST_ITEMS })),
  ignored: Type.Optional(Type.Boolean()),
  knownCisaExploit: Type.Optional(
    Type.Boolean({ description: 'Whether the catalogue of CISA names it as exploited' }),
  ),
  exploited: Type.Optional(
    Type.Boolean({ description: 'Whether any list of `exploitedSources` names it' }),
  ),
  disputed: Type.Optional(
    Type.Boolean({
      description: 'Whether a record says that somebody disputes the vulnerability',
    }),
  ),
  name: Type.Optional(
    Type.Array(Containing, {
      maxItems: MOST_PATTERNS,
      description:
        'Searched in name, id and aliases of the vulnerability, in the component’s name, and in the product name of its purl or CPE. Case does not matter',
    }),
  ),
  components: Type.Optional(
    Type.Array(
      ExactShape('ComponentMatch', {
        vendor: Type.Optional(Type.String({ maxLength: 1000 })),
        packageName: Type.Optional(Type.String({ maxLength: 1000 })),
        version: Type.Optional(Type.String({ maxLength: 1000 })),
      }),
      { maxItems: MOST_ITEMS, description: 'Exactly as an SBOM declares them' },
    ),
  ),
  confidences: Type.Optional(Type.Array(ConfidenceSchema, { maxItems: MOST_ITEMS })),
  recheck: Type.Optional(
    Type.Boolean({ description: 'Whether somebody should check the assessment again' }),
  ),
  previouslyIgnored: Type.Optional(
    Type.Boolean({
      description:
        'Whether `previousDecision` says ignored: the finding was ignored for another version of the package',
    }),
  ),
  previousAssessments: Type.Optional(
    Type.Array(Assessment, {
      maxItems: MOST_ITEMS,
      description: 'Assessments of `previousDecision`',
    }),
  ),
  detectedSince: Type.Optional(
    Type.String({ format: 'date-time', description: 'First detected at this instant or later' }),
  ),
  fuzzing: Type.Optional(
    Type.Boolean({
      description:
        'Whether it is a crash that OSS-Fuzz found (OSV-…), without CVE and score. Absent: all, or as the setting listFuzzingFindings of the workspace says',
    }),
  ),
  ...assigneeFilterFields,
  ...ownerFilterFields,
  ...ssvcFilterFields,
  proposed: Type.Optional(
    Type.Boolean({
      description:
        'Whether the service proposes the finding as not affected, because none of the vulnerable files is among the source files the component was compiled from',
    }),
  ),
}
export const FindingFilter = ExactShape('FindingFilter', filterFields)
/** `withoutFuzzing`: the workspace has switched crashes of OSS-Fuzz off, as long as nobody assessed them. */
export type FindingFilter = Static<typeof FindingFilter> & { withoutFuzzing?: boolean }

export const ListVulnerabilityFindingsCommand = Exactly(
  {
    sortColumn: Type.Optional(
      Type.Enum([...SORT_COLUMNS], {
        default: 'Risk',
        description:
          'Risk: findings that a list of exploitedSources names first, then by severity, then by EPSS score; disputed ones after all others where the workspace says so (disputedFindings)',
      }),
    ),
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

export const VulnerabilityFindingPage = Shape('VulnerabilityFindingPage', {
  findings: Type.Array(
    Shape('VulnerabilityFinding', {
      id: Type.String(),
      cveId: Type.String({ examples: ['CVE-2021-44228'] }),
      name: Type.String(),
      componentName: Type.String({
        examples: ['libcurl3-gnutls'],
        description:
          'As an SBOM declares it; the first of those that are one package. Where it has a source, rows are found (name) and sorted (ComponentName) by that',
      }),
      componentVersion: Nullable(Type.String()),
      componentSource: ComponentSource,
      severity: SeveritySchema,
      assessment: Assessment,
      ignored: Type.Boolean(),
      isKnownCisaExploit: Type.Boolean(),
      exploitedSources: ExploitedSources,
      isDisputed: IsDisputed,
      detectedAt: Timestamp,
      cvssScore: Nullable(Type.Number()),
      epssScore: Nullable(Type.Number()),
      confidence: ConfidenceSchema,
      recheckReason: Nullable(Type.String()),
      affectedDeviceCount: affectedDevicesFields.affectedDeviceCount,
      ssvcLeastOutcome: Nullable(ssvcFields.ssvcLeastOutcome),
      ssvcOutcome: Nullable(ssvcFields.ssvcOutcome, {
        description:
          'As in the list over the workspace, of this version; null for a past instant: it is not known',
      }),
      ...discussionFields,
      ...ownerFields,
    }),
  ),
  notMatchedYet: NotMatchedYet,
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
  ...totalCountFields,
  switchedOffCount: Type.Integer({
    description:
      'Present findings that are left out because the workspace has switched them off (listFuzzingFindings)',
  }),
})

const { proposed: _, ...workspaceFilterFields } = filterFields
export const WorkspaceFindingFilter = ExactShape(
  'WorkspaceFindingFilter',
  {
    ...workspaceFilterFields,
    packageIds: Type.Optional(
      Type.Array(Type.String({ format: 'uuid' }), {
        maxItems: 1000,
        description: 'As the rows of lists have them',
      }),
    ),
    firmwareIds: Type.Optional({ ...Ids, description: 'Ids, slugs or names' }),
    firmwareVersionIds: Type.Optional({ ...Ids, description: 'Ids, or slug@name' }),
    lineIds: Type.Optional({
      ...Ids,
      description: 'Release lines of firmwares: ids, or slug@name of the line',
    }),
    affectedDevicesOnly: Type.Optional(
      Type.Boolean({
        description: 'Only packages that a device runs, as counted once a minute',
      }),
    ),
    overdue: Type.Optional(
      Type.Literal(true, {
        description:
          'Only rows with an active finding that were first detected longer ago than the workspace gives their severity (remediationTargetDays)',
      }),
    ),
  },
  {
    description:
      'A row stands for findings in several firmware versions. It is listed if one of these findings meets all of activeOnly, affectedDevicesOnly, assessments, ignored and recheck. With firmwareIds, firmwareVersionIds or lineIds it shows these versions only.',
  },
)
export type WorkspaceFindingFilter = Static<typeof WorkspaceFindingFilter> & {
  withoutFuzzing?: boolean
}

export const ListWorkspaceFindingsCommand = Exactly(
  {
    sortColumn: Type.Optional(
      Type.Enum([...WORKSPACE_SORT_COLUMNS], {
        default: 'Risk',
        description:
          'Risk: rows that a list of exploitedSources names first, then those that devices run before those that none runs, then by severity, then by likelihood (EPSS score from 50 %, 10 %, 1 %, below), then by the magnitude of affectedDeviceCount (1 to 9 devices, 10 to 99, and so on; counted once a minute), then by EPSS score',
      }),
    ),
    ascending: Type.Optional(Type.Boolean({ default: false })),
    ...PageRequest,
    filter: Type.Optional(WorkspaceFindingFilter),
  },
  { examples: [{ limit: 100, filter: { cveIds: ['CVE-2024-3094'], activeOnly: true } }] },
)

export const WorkspaceFindingPage = Shape('WorkspaceFindingPage', {
  findings: Type.Array(
    Shape('WorkspaceFinding', {
      cveId: Type.String({ examples: ['CVE-2024-3094'] }),
      name: Type.String(),
      packageId: Type.String({
        description: 'The upstream software in one version that components stand for',
      }),
      componentName: Type.String({
        examples: ['xz'],
        description:
          'As an SBOM of the first of firmwareVersions declares it. Where it has a source, rows are found (name) and sorted (ComponentName) by that',
      }),
      componentVersion: Nullable(Type.String({ examples: ['5.6.0'] })),
      componentSource: ComponentSource,
      severity: SeveritySchema,
      cvssScore: Nullable(Type.Number()),
      epssScore: Nullable(Type.Number()),
      isKnownCisaExploit: Type.Boolean(),
      exploitedSources: ExploitedSources,
      isDisputed: IsDisputed,
      confidence: ConfidenceSchema,
      detectedAt: Timestamp,
      firmwareVersionCount: Type.Integer(),
      activeFirmwareVersionCount: Type.Integer({
        description: 'Firmware versions in which it is active',
      }),
      assessments: Type.Array(AssessmentCount),
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
        description: 'Number of devices that report one of the versions',
      }),
      ...ssvcFields,
      ...discussionFields,
      ...ownerFields,
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
  ...totalCountFields,
})

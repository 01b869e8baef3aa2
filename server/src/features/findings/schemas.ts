import { Type } from 'typebox'
import { ADVISORY_SOURCES, SEVERITIES } from '../../formats/advisories/model.ts'
import { Exactly, Nullable, PageRequest, Timestamp } from '../../platform/http/schemas.ts'
import { message } from '../../platform/jobs/queue.ts'
import { ASSESSMENTS, SORT_COLUMNS } from './assessment.ts'
import { CONFIDENCES } from './evidence.ts'

const Severity = Type.Enum([...SEVERITIES])
const Assessment = Type.Enum([...ASSESSMENTS])
const Confidence = Type.Enum([...CONFIDENCES])
const MOST_ITEMS = 100

const FindingFilter = Exactly({
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
})

export const ListVulnerabilityFindingsCommand = Exactly(
  {
    sortColumn: Type.Optional(Type.Enum([...SORT_COLUMNS], { default: 'Severity' })),
    ascending: Type.Optional(Type.Boolean({ default: false })),
    ...PageRequest,
    filter: Type.Optional(FindingFilter),
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
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const VulnerabilitySummary = Type.Object({
  totalActiveIssues: Type.Integer(),
  countsBySeverity: Type.Array(Type.Object({ severity: Severity, count: Type.Integer() }), {
    description: 'All six severities, worst first',
  }),
})

const Paths = Type.Array(Type.Array(Type.String()))
const NullableText = Nullable(Type.String())
const component = {
  name: Type.String(),
  version: NullableText,
  cpe: NullableText,
  purl: NullableText,
  vendor: NullableText,
}

const Evidence = Type.Object({
  source: Type.Enum([...ADVISORY_SOURCES]),
  advisoryId: Type.String(),
  key: Type.String({ examples: ['cpe:busybox:busybox'] }),
  identifier: Type.String(),
  version: Type.String(),
  range: Type.String(),
  comparator: Type.String(),
  verdict: Type.Enum(['affected', 'unaffected']),
  confidence: Confidence,
  notes: Type.Array(Type.String()),
  outrankedBy: NullableText,
})

const Vulnerability = Type.Object({
  id: Type.String(),
  source: NullableText,
  sourceUrl: NullableText,
  description: NullableText,
  status: NullableText,
  severity: Severity,
  primaryBaseScore: Nullable(Type.Number()),
  cvssScores: Type.Array(
    Type.Object({
      version: Type.String({ examples: ['3.1'] }),
      vectorString: Type.String(),
      baseScore: Type.Number(),
      baseSeverity: Type.String({ examples: ['CRITICAL'] }),
      source: Type.String(),
    }),
  ),
  references: Type.Array(
    Type.Object({ url: Type.String(), source: Type.String(), tags: Type.Array(Type.String()) }),
  ),
  cwes: Type.Array(Type.Object({ id: Type.String({ examples: ['CWE-79'] }), name: Type.String() })),
  publishedAt: Nullable(Timestamp),
  modifiedAt: Nullable(Timestamp),
})

const AffectedPackages = Type.Array(
  Type.Object({
    purl: NullableText,
    packageName: NullableText,
    vendor: NullableText,
    versions: Type.Array(
      Type.Object({
        cpe: NullableText,
        versionStartIncluding: NullableText,
        versionStartExcluding: NullableText,
        versionEndIncluding: NullableText,
        versionEndExcluding: NullableText,
      }),
    ),
    source: Type.Enum([...ADVISORY_SOURCES]),
    advisoryId: Type.String(),
  }),
)

const TimelineEntry = Type.Object({
  type: Type.Enum(['Published', 'Detected', 'Resolved', 'Reopened']),
  timestamp: Timestamp,
  cause: Type.Optional(Type.String({ examples: ['KnowledgeChanged'] })),
})

export const FindingDetail = Type.Object({
  id: Type.String(),
  name: Type.String(),
  assessment: Assessment,
  ignored: Type.Boolean(),
  isKnownCisaExploit: Type.Boolean(),
  component: Type.Object(component),
  components: Type.Array(Type.Object(component), {
    description: 'The components that stand for the package',
  }),
  cve: Vulnerability,
  affectedPackages: AffectedPackages,
  sboms: Type.Array(
    Type.Object({ sbomId: Type.String(), fileName: Type.String(), pathsToRoot: Paths }),
  ),
  timeline: Type.Array(TimelineEntry, { description: 'Oldest first' }),
  isActive: Type.Boolean({ description: 'It counts in summaries' }),
  confidence: Confidence,
  evidence: Type.Array(Evidence),
  epssScore: Nullable(Type.Number()),
  fixedVersions: Type.Array(Type.String()),
  dueAt: Nullable(Timestamp),
  overdue: Type.Boolean(),
})

/** Links between the SBOMs of a firmware version were made anew: components may stand for other packages. */
export const SbomsRelinked = message(
  'findings.sboms-relinked',
  Type.Object({ workspaceId: Type.String(), firmwareVersionId: Type.String() }),
)

/** The service runs with newer rules than some packages were matched by. */
export const MatchRulesChanged = message('findings.match-rules-changed', Type.Object({}))

export const findingMessages = [SbomsRelinked, MatchRulesChanged]

import { Type } from 'typebox'
import { ExploitedSources, IsDisputed, SeveritySchema } from '../../advisories/index.ts'
import { ConfidenceSchema } from '../../matching/index.ts'
import { DECISION_ORIGINS, DECISION_SOURCES } from '../../../formats/assessments.ts'
import { ADVISORY_SOURCES } from '../../../formats/advisories/model.ts'
import { Nullable, OneOf, Reference, Shape, Timestamp } from '../../../platform/http/schemas.ts'
import {
  affectedDevicesFields,
  DecidedLineSchema,
  FirmwareVersionReference,
  LineOfVersion,
} from '../../firmware/index.ts'
import { OwnerShape } from '../../owners/index.ts'
import { SsvcExplanationSchema } from '../../ssvc/index.ts'
import { Acceptance, Assessment, Disagreement, StatedIn, VexConflict } from '../schemas.ts'

const Paths = Type.Array(Type.Array(Type.String()))
const NullableText = Nullable(Type.String())
const component = {
  name: Type.String(),
  version: NullableText,
  source: Nullable(
    Type.String({
      examples: ['curl'],
      description: 'The source package or recipe that it is built from, where it has another name',
    }),
  ),
  cpe: NullableText,
  purl: NullableText,
  vendor: NullableText,
}

export const Evidence = Shape('Evidence', {
  source: OneOf('AdvisorySource', ADVISORY_SOURCES),
  advisoryId: Type.String(),
  key: Type.String({ examples: ['cpe:busybox:busybox'] }),
  identifier: Type.String(),
  version: Type.String(),
  range: Type.String({ description: 'As the record has it' }),
  rangeInWords: Type.String({
    examples: ['every release before 7.0, except 6.6.137 and later of 6.6'],
  }),
  comparator: Type.String(),
  verdict: Type.Enum(['affected', 'unaffected']),
  confidence: ConfidenceSchema,
  notes: Type.Array(Type.String()),
  outrankedBy: NullableText,
})

export const Vulnerability = Shape('FindingVulnerability', {
  id: Type.String(),
  source: NullableText,
  sourceUrl: NullableText,
  description: NullableText,
  status: NullableText,
  severity: SeveritySchema,
  primaryBaseScore: Nullable(Type.Number()),
  cvssScores: Type.Array(
    Shape('CvssScore', {
      version: Type.String({ examples: ['3.1'] }),
      vectorString: Type.String(),
      baseScore: Type.Number(),
      baseSeverity: Type.String({ examples: ['CRITICAL'] }),
      source: Type.String(),
    }),
  ),
  references: Type.Array(
    Shape('VulnerabilityReference', {
      url: Type.String(),
      source: Type.String(),
      tags: Type.Array(Type.String()),
    }),
  ),
  cwes: Type.Array(
    Shape('Weakness', { id: Type.String({ examples: ['CWE-79'] }), name: Type.String() }),
  ),
  ssvc: Type.Array(
    Shape('SsvcDecision', {
      source: Type.String(),
      exploitation: Nullable(Type.String({ examples: ['poc'] })),
      automatable: Nullable(Type.String({ examples: ['no'] })),
      technicalImpact: Nullable(Type.String({ examples: ['total'] })),
      decidedAt: Nullable(Type.String()),
    }),
    { description: 'SSVC decision points, as published' },
  ),
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
    source: OneOf('AdvisorySource', ADVISORY_SOURCES),
    advisoryId: Type.String(),
  }),
)

export const VersionLanes = Type.Array(
  Type.Object({
    source: OneOf('AdvisorySource', ADVISORY_SOURCES),
    stretches: Type.Array(
      Shape('VersionStretch', {
        from: Nullable(Type.Integer({ description: 'An index of `stops`; null: open' })),
        to: Nullable(Type.Integer({ description: 'An index of `stops`; null: open' })),
        isToAffected: Type.Boolean({
          description: 'Whether the version at `to` is affected; else it is the first fixed one',
        }),
      }),
    ),
  }),
)

const VersionLine = Shape(
  'VersionLine',
  {
    stops: Type.Array(Type.Object({ text: Type.String(), isOurs: Type.Boolean() }), {
      description: 'Bounds of ranges and the version of the component, in ascending order',
    }),
    lanes: VersionLanes,
  },
  {
    description:
      'The affected ranges of each source on one axis of versions, to draw; null where the versions cannot be ordered',
  },
)

const Proposal = Shape(
  'AssessmentProposal',
  {
    assessment: Type.Enum(['NotAffected']),
    justification: Type.Enum(['vulnerable_code_not_present']),
    detail: Type.String(),
    evidence: Type.Object({
      vulnerableFiles: Type.Array(Type.String(), {
        examples: [['drivers/net/wireless/ath/ath9k/hif_usb.c']],
        description: 'Files that the record names as vulnerable; folders end in /',
      }),
      sourceFileCount: Type.Integer({
        description:
          'Number of source files the component was compiled from; none of them is vulnerable',
      }),
    }),
  },
  { description: 'A proposed assessment; it has no effect until a person accepts it' },
)

const stated = {
  detail: NullableText,
  justification: NullableText,
  response: NullableText,
  responses: Type.Array(Type.String(), {
    description: 'All responses; `response` is the first. Only VEX statements have more than one',
  }),
  recheckReason: Nullable(Type.String(), {
    description: 'Why somebody should check the assessment again; null: no reason',
  }),
}

const PreviousDecision = Shape(
  'PreviousDecision',
  {
    firmwareVersion: Reference,
    componentVersion: NullableText,
    assessment: Assessment,
    ignored: Type.Boolean(),
    acceptance: Nullable(Acceptance),
    justification: NullableText,
    detail: NullableText,
    responses: Type.Array(Type.String()),
    decidedByEmail: NullableText,
    decidedAt: Timestamp,
  },
  {
    description:
      'What was decided before, for another version of the package or on other evidence; `recheckReason` says why it does not simply apply. `bulk-repeat` decides so again. null for a past instant, and once somebody has decided',
  },
)

const TimelineEntry = Shape('TimelineEntry', {
  type: Type.Enum([
    'Published',
    'Detected',
    'Assessment',
    'Ignored',
    'Unignored',
    'Resolved',
    'Reopened',
  ]),
  timestamp: Timestamp,
  cause: Type.Optional(Type.String({ examples: ['KnowledgeChanged'] })),
  source: Type.Optional(Type.Enum([...DECISION_SOURCES])),
  origin: Type.Optional(
    Nullable(OneOf('DecisionOrigin', DECISION_ORIGINS), {
      description: 'Whose word an assessment is; null: not known of entries of earlier releases',
    }),
  ),
  statedIn: Type.Optional(Nullable(StatedIn)),
  createdByEmail: Type.Optional(NullableText),
  isUndo: Type.Optional(Type.Boolean({ description: 'It took back what a command had decided' })),
  acceptance: Type.Optional(Acceptance),
  line: Type.Optional(DecidedLineSchema),
  assessment: Type.Optional(Type.Object({ assessment: Assessment, ...stated })),
})

const KnownExploit = Shape(
  'KnownExploit',
  {
    dateAdded: Type.String({ format: 'date' }),
    dueDate: Nullable(Type.String({ format: 'date' })),
    vendorProject: Type.String(),
    product: Type.String(),
    ransomware: Type.Boolean(),
    notes: NullableText,
  },
  { description: 'The entry in CISA’s catalogue of known exploited vulnerabilities' },
)

export const FindingDetail = Shape('FindingDetail', {
  id: Type.String(),
  name: Type.String(),
  firmwareVersion: FirmwareVersionReference,
  line: LineOfVersion,
  ssvcDecision: Nullable(SsvcExplanationSchema, {
    description:
      'What the SSVC tree of the workspace decides, step by step; null for a past instant: it is not known',
  }),
  assessment: Assessment,
  ignored: Type.Boolean(),
  acceptance: Nullable(Acceptance),
  ...stated,
  decidedLine: Nullable(DecidedLineSchema, {
    description:
      'The release line that the decision holds for: it is carried over to versions of this line alone. null: to whatever version follows',
  }),
  previousDecision: Nullable(PreviousDecision),
  origin: Nullable(OneOf('DecisionOrigin', DECISION_ORIGINS), {
    description:
      'Whose word the assessment is. What a person decided holds until a person changes it, a document outweighs the build; null: nobody has decided, or the instant is past',
  }),
  vexConflict: Nullable(VexConflict),
  disagreements: Type.Array(Disagreement, {
    description:
      'VEX statements that say otherwise than a person has decided, one for each document, the newest first',
  }),
  isKnownCisaExploit: Type.Boolean(),
  knownExploit: Nullable(KnownExploit),
  exploitedSources: ExploitedSources,
  isDisputed: IsDisputed,
  component: Shape('FindingComponent', component),
  components: Type.Array(Shape('FindingComponent', component), {
    description: 'The components of the package',
  }),
  cve: Vulnerability,
  affectedPackages: AffectedPackages,
  versionLine: Nullable(VersionLine),
  sboms: Type.Array(
    Type.Object({ sbomId: Type.String(), fileName: Type.String(), pathsToRoot: Paths }),
  ),
  timeline: Type.Array(TimelineEntry, { description: 'Oldest first' }),
  isActive: Type.Boolean({ description: 'Whether summaries count the finding' }),
  confidence: ConfidenceSchema,
  evidence: Type.Array(Evidence),
  proposal: Nullable(Proposal),
  epssScore: Nullable(Type.Number()),
  epssPercentile: Nullable(Type.Number()),
  fixedVersions: Type.Array(Type.String()),
  dueAt: Nullable(Timestamp),
  overdue: Type.Boolean(),
  owner: Nullable(OwnerShape, { description: 'Of now, also for a past instant; null: nobody' }),
  ...affectedDevicesFields,
})

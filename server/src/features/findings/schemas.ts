/** Schemas that several parts of this slice share, and its message. */
import { Type } from 'typebox'
import { END_CAUSES } from '../../formats/acceptances.ts'
import { ASSESSMENTS } from '../../formats/assessments.ts'
import type { ProblemPages } from '../../platform/errors.ts'
import { SeveritySchema } from '../advisories/index.ts'
import {
  Exactly,
  Nullable,
  OneOf,
  ReasonCount,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { NotMatchedYet } from '../coverage/index.ts'
import { affectedDevicesFields } from '../firmware/index.ts'
import { defineMessage } from '../../platform/jobs/queue.ts'

export const Assessment = OneOf('Assessment', ASSESSMENTS)

export const AsOf = Type.String({
  format: 'date-time',
  description:
    'A past instant: shows what was known and decided then. EPSS scores are null, as only current ones are stored.',
})
export const AsOfQuery = Exactly({ asOf: Type.Optional(AsOf) })

const NullableText = Nullable(Type.String())

export const Acceptance = Shape(
  'RiskAcceptance',
  {
    reason: NullableText,
    owner: Nullable(
      Shape('AcceptanceOwner', {
        id: Type.String(),
        email: Type.String({ description: 'As it was then; the member may have left' }),
      }),
    ),
    until: Nullable(Timestamp, { description: 'null: no time ends it' }),
    conditions: Shape('AcceptanceConditions', {
      knownExploited: Type.Boolean({
        description: 'It ends once CISA or ENISA lists the vulnerability as exploited',
      }),
      epssAbove: Nullable(Type.Number(), {
        description: 'It ends once the EPSS score is higher; null: whatever it is',
      }),
      devicesAbove: Nullable(Type.Integer(), {
        description: 'It ends once more devices report the firmware version; null: however many',
      }),
      fixAvailable: Type.Boolean({
        description: 'It ends once a record names a later version without the vulnerability',
      }),
    }),
    acceptedAt: Timestamp,
    acceptedByEmail: NullableText,
    ended: Nullable(
      Shape('EndOfAcceptance', {
        at: Timestamp,
        causes: Type.Array(OneOf('EndCause', END_CAUSES)),
        byEmail: Nullable(Type.String(), { description: 'null: it ended by itself' }),
      }),
      { description: 'null: it holds' },
    ),
  },
  { description: 'What was said when the finding was ignored; null: nothing' },
)

export const VexConflict = Shape(
  'VexConflict',
  {
    documentId: Type.String(),
    author: NullableText,
    assessment: Assessment,
    justification: NullableText,
    detail: NullableText,
    responses: Type.Array(Type.String()),
    statedAt: Timestamp,
  },
  {
    description:
      'The newest VEX statement, if it differs from what a person decided; `disagreements` has all of them',
  },
)

export const StatedIn = Shape(
  'VexStatementOrigin',
  {
    vexDocumentId: Type.String(),
    format: Type.String({ examples: ['OpenVex'] }),
    documentId: Nullable(Type.String(), { description: 'The id the document states' }),
    author: NullableText,
    statedAt: Timestamp,
    importedByEmail: NullableText,
    sbomFileName: Nullable(Type.String(), {
      description: 'The SBOM in which the statement stands; null: a VEX document was imported',
    }),
  },
  { description: 'The document of the statement, as it was then' },
)

export const Disagreement = Shape('Disagreement', {
  statementId: Type.String({ description: 'Accept it by `accept-statement`' }),
  assessment: Assessment,
  justification: NullableText,
  detail: NullableText,
  responses: Type.Array(Type.String()),
  since: Type.String({ ...Timestamp, description: 'When the statement was received first' }),
  statedIn: StatedIn,
})

export const AssessmentCount = Shape('AssessmentCount', {
  assessment: Assessment,
  count: Type.Integer(),
})
export const VulnerabilityCounts = Shape('VulnerabilityCounts', {
  totalActiveIssues: Type.Integer(),
  countsBySeverity: Type.Array(
    Shape('SeverityCount', { severity: SeveritySchema, count: Type.Integer() }),
    {
      description: 'All six severities, worst first',
    },
  ),
})

const NotJudged = Shape(
  'UnjudgedComponents',
  {
    componentCount: Type.Integer({
      description:
        'Components that are part of the firmware: neither for the build only nor ignored',
    }),
    notJudgedCount: Type.Integer(),
    reasons: Type.Array(ReasonCount, {
      description: 'Most frequent first',
    }),
  },
  {
    description:
      'Components that cannot be judged, so that the absence of findings says nothing: they are not matched for a reason, or no record of their distribution is stored. As of now, also for a past instant',
  },
)

export const VulnerabilitySummary = Shape('VulnerabilitySummary', {
  ...VulnerabilityCounts.properties,
  ...affectedDevicesFields,
  sourceFileHints: Type.Array(
    Shape('SourceFileHint', {
      componentName: Type.String({ examples: ['linux-yocto'] }),
      componentVersion: Nullable(Type.String()),
      findingCount: Type.Integer(),
      comparableFindingCount: Type.Integer({
        description:
          'Findings whose record names the vulnerable files: with the source files of the component, those in code that was not compiled are proposed as not affected',
      }),
    }),
    {
      description:
        'Components with 1,000 findings or more, mostly kernels, whose compiled source files are not known. Empty for a past instant',
    },
  ),
  notJudged: NotJudged,
  notMatchedYet: NotMatchedYet,
})

/** The SBOMs of a firmware version were linked again: components may have other packages. */
export const SbomsRelinked = defineMessage(
  'findings.sboms-relinked',
  Type.Object({ workspaceId: Type.String(), firmwareVersionId: Type.String() }),
)

/** Devices run other versions than when they were counted, versions hold other packages, or names were not compared for long. */
export const KeptOutdated = defineMessage(
  'findings.devices-moved',
  Type.Object({ workspaceId: Type.String() }),
)

/** What acceptances of risks depend on may have changed: devices were counted, scores were copied, a fix may have appeared. */
export const AcceptancesOutdated = defineMessage(
  'findings.acceptances-outdated',
  Type.Object({ workspaceId: Type.String() }),
)

/** Acceptances of an owner end soon, or have ended. */
export const AcceptanceMail = defineMessage(
  'findings.acceptance-mail',
  Type.Object({
    workspaceId: Type.String(),
    personId: Type.String(),
    mailId: Type.Optional(Type.String()),
    endedCount: Type.Integer(),
    endingCount: Type.Integer(),
    lines: Type.Array(Type.String()),
  }),
)

export const findingMessages = [SbomsRelinked, KeptOutdated, AcceptancesOutdated, AcceptanceMail]

export const findingProblems: ProblemPages = {
  'acceptance-incomplete': {
    title: 'The acceptance lacks what the workspace demands',
    advice:
      'Say what `errors` names in `acceptance`. The setting `acceptanceRequirements` of the workspace says what is demanded.',
  },
  'decision-batch-not-found': {
    title: 'No such decision batch',
    advice: 'GET …/decision-batches lists them.',
  },
  'decision-batch-exists': {
    title: 'The decision was made already',
    advice: 'GET …/decision-batches has it. A further command needs another id.',
  },
  'findings-changed': {
    title: 'The selection has other findings than expected',
    advice: 'Preview it again (`dryRun`), and send the number that it has now.',
  },
  'decision-batch-undone': {
    title: 'The decisions were taken back already',
    advice: 'GET …/decision-batches says by whom, and when. Decide again if they were right.',
  },
  'standing-decision-not-found': {
    title: 'No such standing decision',
    advice: 'GET …/standing-decisions lists them.',
  },
  'vulnerability-not-found': {
    title: 'No such vulnerability',
    advice: 'The text is no id of a vulnerability, such as CVE-2024-3094, and no source knows it.',
  },
  'finding-not-found': {
    title: 'No such finding',
    advice: 'The workspace never had a finding with this id.',
  },
}

/** What the lists of findings can be sorted by. */
export const SORT_COLUMNS = [
  'Risk',
  'Severity',
  'CvssScore',
  'EpssScore',
  'CveId',
  'Name',
  'ComponentName',
  'ComponentVersion',
  'Assessment',
  'KnownCisaExploit',
  'DetectedAt',
  'Ssvc',
] as const
export type SortColumn = (typeof SORT_COLUMNS)[number]

/** A row of the workspace's list stands for several findings, so it cannot be sorted by assessment. */
export const WORKSPACE_SORT_COLUMNS = [
  'Risk',
  'Severity',
  'CvssScore',
  'EpssScore',
  'CveId',
  'Name',
  'ComponentName',
  'ComponentVersion',
  'KnownCisaExploit',
  'DetectedAt',
  'FirmwareVersionCount',
  'Ssvc',
] as const
export type WorkspaceSortColumn = (typeof WORKSPACE_SORT_COLUMNS)[number]

export const ComponentSource = Nullable(
  Type.String({
    examples: ['curl'],
    description: 'The source package or recipe that it is built from, where it has another name',
  }),
)

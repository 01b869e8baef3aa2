/** What people decide about findings. */
import { Type } from 'typebox'
import {
  CYCLONEDX_JUSTIFICATIONS,
  OPENVEX_JUSTIFICATIONS,
  VEX_RESPONSES,
} from '../../formats/vex/vocabulary.ts'
import { StatedAcceptance } from './acceptances/schemas.ts'
import { Exactly, ExactShape, OneOf, Saying, Shape } from '../../platform/http/schemas.ts'
import {
  AssessmentCount,
  AssessmentSchema as Assessment,
  FindingFilter,
  WorkspaceFindingFilterSchema,
} from '../findings/index.ts'

const MOST_CHARACTERS = 10_000

const verdict = {
  assessment: Assessment,
  /** Only with NotAffected or FalsePositive. */
  justification: Type.Optional(
    OneOf('VexJustification', [...OPENVEX_JUSTIFICATIONS, ...CYCLONEDX_JUSTIFICATIONS]),
  ),
  detail: Type.Optional(Type.String({ maxLength: MOST_CHARACTERS })),
  response: Type.Optional(OneOf('VexResponse', VEX_RESPONSES)),
}

export const AssessVulnerabilityFindingCommand = Exactly(verdict, {
  description:
    'It replaces the former assessment with all its details; a justification goes with NotAffected and FalsePositive only',
  examples: [
    {
      assessment: 'NotAffected',
      justification: 'vulnerable_code_not_in_execute_path',
      detail: 'The HTTP applet is not built in.',
      response: 'will_not_fix',
    },
  ],
})

export const IgnoreVulnerabilityFindingCommand = Exactly(
  { ignored: Type.Boolean(), acceptance: Type.Optional(StatedAcceptance) },
  {
    examples: [
      { ignored: true },
      {
        ignored: true,
        acceptance: {
          reason: 'The console is not reachable from outside.',
          until: '2099-03-01T00:00:00Z',
          conditions: { knownExploited: true, epssAbove: 0.1 },
        },
      },
    ],
  },
)

const BulkFilter = Saying(
  ExactShape(
    'BulkFindingFilter',
    { ...WorkspaceFindingFilterSchema.properties, proposed: FindingFilter.properties.proposed },
    {
      description:
        'The filter of the lists, but each finding must meet all conditions itself. Only findings that hold are selected, and none that the workspace has switched off, unless cveIds or fuzzing name them. `proposed` needs firmwareVersionIds, at most 20',
    },
  ),
  { minProperties: 1 },
)

export const ONE_OF_TWO = { oneOf: [{ required: ['findingIds'] }, { required: ['filter'] }] }

/** Findings by their ids, and how a command about many is done. */
export const namedFindings = {
  findingIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 300 }), {
      minItems: 1,
      maxItems: 10_000,
      description: 'State either findingIds or a filter',
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Return what would change, without changing it' }),
  ),
  decisionBatchId: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'A new UUID for the batch, so that GET …/decision-runs tells how far it is. Used again: 409',
    }),
  ),
  expectedMatched: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Decide only if the selection has so many findings; else 409 and no change',
    }),
  ),
}

const selection = { ...namedFindings, filter: Type.Optional(BulkFilter) }

const alsoFuture = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'The decision also holds for findings to come that nobody has decided (GET …/standing-decisions). The filter then has one id in cveIds, at most one packageName in components, at most one of lineIds, and nothing else. With lineIds it holds for the release line: neither a finding to come nor a decision that is carried over is of another line',
  }),
)

export const AssessVulnerabilityFindingsCommand = Saying(
  Exactly(
    { ...selection, alsoFuture, ...verdict },
    {
      examples: [
        {
          filter: { cveIds: ['CVE-2024-3094'], components: [{ packageName: 'xz' }] },
          dryRun: true,
          assessment: 'NotAffected',
          justification: 'vulnerable_code_not_present',
          detail: 'Built from the repository, not from the release archive.',
        },
      ],
    },
  ),
  ONE_OF_TWO,
)

export const IgnoreVulnerabilityFindingsCommand = Saying(
  Exactly(
    {
      ...selection,
      alsoFuture,
      ignored: Type.Boolean(),
      acceptance: Type.Optional(StatedAcceptance),
    },
    { examples: [{ filter: { severities: ['None'] }, dryRun: true, ignored: true }] },
  ),
  ONE_OF_TWO,
)

export const RepeatDecisionsCommand = Saying(
  Exactly(
    {
      ...selection,
      acceptance: Type.Optional(StatedAcceptance),
    },
    {
      examples: [
        { filter: { previouslyIgnored: true, firmwareVersionIds: ['…'] }, dryRun: true },
        {
          filter: {
            previousAssessments: ['NotAffected'],
            components: [{ packageName: 'openssl' }],
          },
        },
      ],
    },
  ),
  ONE_OF_TWO,
)

export const BulkAnswer = Shape('BulkTriageOutcome', {
  matched: Type.Integer({ description: 'Number of selected findings' }),
  changed: Type.Integer({ description: 'Number of selected findings that the command changes' }),
  endedAtOnce: Type.Optional(
    Type.Integer({
      description:
        'Those of them whose acceptance ends at once, as a condition of it is met already; absent: none',
    }),
  ),
  assessments: Type.Array(AssessmentCount, {
    description: 'Assessments of the selected findings before the command',
  }),
  decisionBatchId: Type.Optional(
    Type.String({
      description:
        'Takes it back (POST …/decision-batches/{id}/undo); absent where nothing was changed',
    }),
  ),
})

import { Type } from 'typebox'
import {
  Exactly,
  Nullable,
  Reference,
  Saying,
  Shape,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { VulnerabilityCounts } from '../../findings/index.ts'
import { OBSTACLES } from '../readiness/service.ts'
import { CreateDeploymentCommand, RollbackQuery } from '../schemas.ts'
import { GateSchema, shownFindingFields } from '../../release-gate/index.ts'
import { exposureFields } from '../../reports/index.ts'

export const RiskQuery = Exactly({
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      default: 20,
      description: 'Maximum number of findings in each list',
    }),
  ),
})

export const RollbackPreviewQuery = Exactly({
  ...RiskQuery.properties,
  firmwareVersionId: RollbackQuery.properties.firmwareVersionId,
})

export const PreviewDeploymentCommand = Exactly(
  { artifacts: CreateDeploymentCommand.properties.artifacts },
  { examples: [{ artifacts: [{ firmwareVersionId: '01980000-0000-7000-8000-000000000000' }] }] },
)

const counts = Type.Array(VulnerabilityCounts.properties.countsBySeverity.items)

const findings = {
  count: Type.Integer(),
  knownExploited: Type.Integer(),
  countsBySeverity: counts,
  findings: Type.Array(
    Shape('DeploymentFinding', {
      ...shownFindingFields,
      deviceCount: Type.Integer({
        description: 'Devices of the cohort that lose or get the finding',
      }),
    }),
    { description: 'Known-exploited findings first, then by severity and score' },
  ),
}
const Findings = Shape('FindingDelta', findings)
const MaybeFindings = Nullable(Findings, {
  description: 'null: the version is unknown, or it is not among the 20 most frequent',
})

const risk = {
  deviceCount: Type.Integer({ description: 'Devices of the cohort' }),
  artifacts: Type.Array(
    Shape('ArtifactRisk', {
      firmware: Type.Object({ id: Type.String(), slug: Type.String() }),
      firmwareVersion: Reference,
      replaces: Nullable(Reference, {
        description: 'For a rollback: the version of the active deployment',
      }),
      running: Type.Array(
        Shape('RunningVersionRisk', {
          firmwareVersion: Nullable(Reference, {
            description: 'null: devices report a version that no firmware version matches',
          }),
          deviceCount: Type.Integer(),
          removed: MaybeFindings,
          introduced: MaybeFindings,
        }),
        { description: 'Versions that devices of the cohort run now, most frequent first' },
      ),
      notReportingCount: Type.Integer({
        description: 'Devices of the cohort that report no version of this firmware',
      }),
    }),
  ),
  net: Shape(
    'NetRisk',
    {
      before: counts,
      after: counts,
      removed: Saying(Findings, { description: 'Active on some device now but not afterwards' }),
      introduced: Saying(Findings, { description: 'Active on some device afterwards but not now' }),
    },
    {
      description:
        'Sum over the devices whose version is known. before and after count a finding once for each device that has it.',
    },
  ),
  gate: GateSchema,
}

export const DeploymentPreview = Shape('DeploymentPreview', {
  ...risk,
  obstacles: Type.Array(
    Type.Object({
      kind: Type.Enum([...OBSTACLES], {
        description:
          'ArtifactMissing: a version has no file. ClientLimit: hawkBit clients that are known to install less. OtherFirmware: devices that report firmware, but none of this. NeverSeen: devices that never connected',
      }),
      blocks: Type.Boolean({ description: 'The deployment would be refused' }),
      detail: Type.String(),
      deviceCount: Type.Integer(),
      deviceIds: Type.Array(Type.String(), { description: 'The first 20 of them, by id' }),
    }),
    {
      description:
        'Devices that cannot take the deployment, or of which it is not known. The service knows clients and reported firmware, but no hardware',
    },
  ),
})

const MOST_CHANGES = 20

export const WhatIfCommand = Exactly(
  {
    changes: Type.Array(
      Exactly({
        deploymentCohortId: Type.String({ maxLength: 200 }),
        firmwareVersionIds: Type.Array(Type.String({ maxLength: 200 }), {
          minItems: 1,
          maxItems: 20,
          description: 'Of different firmwares',
        }),
      }),
      { minItems: 1, maxItems: MOST_CHANGES, description: 'Each cohort once' },
    ),
  },
  {
    examples: [
      {
        changes: [
          {
            deploymentCohortId: '01980000-0000-7000-8000-000000000001',
            firmwareVersionIds: ['01980000-0000-7000-8000-000000000000'],
          },
        ],
      },
    ],
  },
)

export const WhatIfAnswer = Shape('WhatIf', {
  before: Type.Object(exposureFields, { description: 'All devices of the workspace, as they are' }),
  after: Type.Object(exposureFields, {
    description:
      'The same, with the devices of the cohorts that report a firmware on its version here. Devices that report none of it stay as they are',
  }),
  changes: Type.Array(
    Type.Object({
      deploymentCohort: Reference,
      deviceCount: risk.deviceCount,
      artifacts: risk.artifacts,
      gate: risk.gate,
    }),
    { description: 'In the order of the request' },
  ),
  net: risk.net,
})

export const RollbackPreview = Shape('RollbackPreview', {
  deployment: Reference,
  restored: Type.Object({
    id: Type.String(),
    name: Type.String(),
    endedAt: Nullable(Timestamp),
  }),
  wasTaken: Type.Boolean({
    description: 'Devices of the cohort took the restored deployment, or report its versions',
  }),
  deviceCounts: Shape(
    'RollbackDeviceCounts',
    {
      reporting: Type.Integer({ description: 'Report the versions of the deployment' }),
      installing: Type.Integer({
        description: 'Install the versions of the deployment and do not report them yet',
      }),
      staying: Type.Integer({ description: 'Report the restored versions already' }),
      other: Type.Integer({
        description: 'Report other known versions; they get the restored ones, too',
      }),
      unknown: Type.Integer({
        description: 'Report no version that is known; they get the restored ones, too',
      }),
    },
    { description: 'Each device of the cohort once, by what it reports' },
  ),
  introduced: Saying(Findings, {
    description: 'Active in the restored versions but not in those of the deployment',
  }),
  removed: Saying(Findings, {
    description: 'Active in the versions of the deployment but not in the restored ones',
  }),
  lastUses: Type.Array(
    Type.Object({
      firmwareVersionId: Type.String(),
      isActive: Type.Boolean({
        description: 'An active deployment of any cohort holds the version',
      }),
      endedAt: Nullable(Timestamp, {
        description: 'When the last deployment that held the version ended; null: none has ended',
      }),
      runningDeviceCount: Type.Integer({
        description: 'Devices of the whole workspace that run the version',
      }),
    }),
    { description: 'When the restored versions were last in use' },
  ),
  ...risk,
})

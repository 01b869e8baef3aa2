import { Type } from 'typebox'
import { DAY_SECONDS } from '../../formats/instants.ts'
import {
  Exactly,
  ExactShape,
  Name,
  Nullable,
  OneOf,
  PageRequest,
  ReasonCount,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import { PhaseComparison, PlannedComparison, ShownPlan } from '../comparisons/index.ts'
import { MarkedVersionReference } from '../firmware/index.ts'
import { GateSchema } from '../release-gate/index.ts'
import { EVENT_TYPES } from './events.ts'
import { DEPLOYMENT_STATES } from './store.ts'

const Percent = Type.Integer({ minimum: 1, maximum: 100 })
const Seconds = Type.Integer({ minimum: 1, maximum: 366 * DAY_SECONDS })
const MAX_ARTIFACTS = 20

const Window = ExactShape('MaintenanceWindow', {
  from: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['02:00'] }),
  until: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['04:30'] }),
  utcOffset: Type.String({ pattern: '^[+-](0\\d|1[0-4]):[0-5]\\d$', examples: ['+02:00'] }),
})

/** What people say of a deployment besides its versions, and may change until it ends. */
const plan = {
  name: Name,
  startsAt: Type.Optional(Nullable(Timestamp, { description: 'null: at once' })),
  phases: Type.Optional(
    Type.Array(
      ExactShape('PlannedPhase', {
        percent: Type.Integer({
          minimum: 1,
          maximum: 100,
          description: 'Of all devices, including those of earlier phases. The last phase has 100.',
        }),
        waitSeconds: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 366 * DAY_SECONDS, default: 0 }),
        ),
        failureThresholdPercent: Type.Optional(
          Nullable(Percent, {
            description:
              'The roll-out stops when this percentage of the released updates has failed',
          }),
        ),
        successThresholdPercent: Type.Optional(
          Nullable(Percent, {
            description:
              'The next phase waits until this percentage of the released updates has succeeded',
          }),
        ),
        comparison: Type.Optional(
          Nullable(PlannedComparison, {
            description:
              'null: devices are not compared. Not of the last phase, as nothing waits after it',
          }),
        ),
      }),
      { minItems: 1, maxItems: 20 },
    ),
  ),
  startDeadlineSeconds: Type.Optional({
    ...Seconds,
    default: 90 * DAY_SECONDS,
    description: 'Time in which a device must begin, counted from its release',
  }),
  deviceDeadlineSeconds: Type.Optional({
    ...Seconds,
    default: DAY_SECONDS,
    description: 'Time in which a device must run the new versions, counted from when it began',
  }),
  maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1 })),
  forced: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'hawkBit clients install at once instead of choosing the time themselves',
    }),
  ),
  maintenanceWindow: Type.Optional(
    Nullable(Window, { description: 'Hours of the day in which devices may begin' }),
  ),
  confirmationRequired: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'hawkBit clients ask their user for consent first',
    }),
  ),
  note: Type.Optional(
    Nullable(Type.String({ maxLength: 4000 }), { description: 'Why, and what to look at' }),
  ),
}

export const CreateDeploymentCommand = Exactly(
  {
    artifacts: Type.Array(
      ExactShape('NewDeploymentArtifact', {
        firmwareVersionId: Type.String(),
        isMain: Type.Optional(Type.Boolean()),
      }),
      {
        minItems: 1,
        maxItems: MAX_ARTIFACTS,
        description: 'Installed in this order. Without isMain the first is the main one.',
      },
    ),
    ...plan,
    acknowledgement: Type.Optional(
      Exactly(
        { reason: Type.String({ minLength: 1, maxLength: 4000, pattern: '\\S' }) },
        {
          description:
            'Why firmware with known-exploited or critical findings is deployed nevertheless',
        },
      ),
    ),
  },
  {
    examples: [
      {
        name: 'Gateway 2.4.1',
        artifacts: [{ firmwareVersionId: '01980000-0000-7000-8000-000000000000' }],
        phases: [
          { percent: 10, waitSeconds: 3600, failureThresholdPercent: 20 },
          { percent: 100, failureThresholdPercent: 20 },
        ],
      },
    ],
  },
)

export const DeploymentStateSchema = OneOf('DeploymentState', DEPLOYMENT_STATES)

const listed = {
  id: Type.String(),
  name: Name,
  deploymentCohortId: Type.String(),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  isActive: Type.Boolean(),
  state: DeploymentStateSchema,
  stateReason: Nullable(Type.String()),
  endedAt: Nullable(Timestamp),
  artifacts: Type.Array(
    Shape('DeploymentArtifact', {
      id: Type.String(),
      order: Type.Integer({ description: 'Installed in this order, from 0' }),
      firmware: Type.Object({
        isMain: Type.Boolean(),
        slug: Type.String(),
        firmwareVersion: MarkedVersionReference,
      }),
    }),
  ),
  deviceUpdateStateCounts: Shape('DeviceUpdateStateCounts', {
    pending: Type.Integer(),
    inProgress: Type.Integer(),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
  }),
  startsAt: Nullable(Timestamp),
  phases: Type.Array(
    Shape('DeploymentPhase', {
      percent: Type.Integer(),
      waitSeconds: Type.Integer(),
      failureThresholdPercent: Nullable(Type.Integer()),
      successThresholdPercent: Nullable(Type.Integer()),
      comparison: Nullable(ShownPlan),
    }),
  ),
  comparisons: Type.Array(PhaseComparison, {
    description: 'How the comparison of each phase stands, in their order',
  }),
  phase: Nullable(Type.Integer(), {
    description: 'Index of the current phase, from 0; null before the start',
  }),
  startDeadlineSeconds: Type.Integer(),
  deviceDeadlineSeconds: Type.Integer(),
  maxAttempts: Type.Integer(),
  forced: Type.Boolean(),
  maintenanceWindow: Nullable(Window),
  confirmationRequired: Type.Boolean(),
  predecessorId: Nullable(Type.String(), {
    description:
      'The deployment before it that was not cancelled; of a rollback: the one before what it restored. What a rollback would restore now, its preview tells',
  }),
  rollbackOfId: Nullable(Type.String(), {
    description: 'For a rollback: the deployment that it rolled back',
  }),
  restoresId: Nullable(Type.String(), {
    description: 'For a rollback: the deployment that it restored',
  }),
  note: Nullable(Type.String()),
  events: Type.Array(
    Shape('DeploymentEvent', {
      type: OneOf('DeploymentEventType', EVENT_TYPES),
      at: Timestamp,
      phase: Nullable(Type.Integer(), { description: 'Of PhaseBegan: its index, from 0' }),
      byEmail: Nullable(Type.String(), {
        description: 'null: the service itself, or an API key without an address',
      }),
      reason: Nullable(Type.String()),
      deploymentId: Nullable(Type.String(), {
        description: 'Of Superseded: the deployment that replaced it',
      }),
    }),
    { description: 'When phases began, pauses and stops, and how it ended; oldest first' },
  ),
  gate: Nullable(
    Shape('DeploymentGate', {
      ...Type.Omit(GateSchema, ['blocked']).properties,
      acknowledgement: Nullable(
        Type.Object({ reason: Type.String(), byEmail: Nullable(Type.String()) }),
      ),
    }),
    { description: 'Result of the release gate when the deployment was created' },
  ),
}

const DeviceCounts = Shape(
  'DeploymentDeviceCounts',
  {
    reporting: Type.Integer({ description: 'Report the versions of the deployment' }),
    installing: Type.Integer({ description: 'Install them and do not report them yet' }),
    failed: Type.Integer({ description: 'Failed and do not report them' }),
    waiting: Type.Integer({ description: 'Have not begun' }),
    cancelled: Type.Integer({ description: 'The deployment ended before they had the versions' }),
    movedOn: Type.Integer({ description: 'Had the versions and report others now' }),
    left: Type.Integer({ description: 'Are no longer in the cohort' }),
  },
  {
    description:
      'Each device of the deployment once, by what it reports now, else by its update; without `left` they are the cohort while the deployment is active. deviceUpdateStateCounts counts updates',
  },
)

const DeploymentListItem = Shape('DeploymentListItem', {
  ...listed,
  deviceCounts: Nullable(DeviceCounts, {
    description:
      'Of the active deployment: what its devices are now. Of others: what they were when it ended; null: it ended before these counts were kept',
  }),
})

export const Deployment = Shape('Deployment', {
  ...listed,
  failureReasons: Type.Array(ReasonCount, {
    description: 'Of the failed devices; most frequent first, at most 20',
  }),
  deviceCounts: DeviceCounts,
})

export const ChangeDeploymentCommand = Replacing(
  Exactly(plan, { examples: [{ note: 'Slower after two failures', maxAttempts: 3 }] }),
  Deployment,
)

export const DeploymentPage = Shape('DeploymentPage', {
  deployments: Type.Array(DeploymentListItem),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const DeploymentListQuery = Exactly(PageRequest)

export const RollbackQuery = Exactly({
  firmwareVersionId: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'A version that the restored deployment has to hold; without it, the previous one comes back. 409 `nothing-to-roll-back` with the reason where none can be restored',
    }),
  ),
  restores: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'The id of `restored` in the preview that was shown. 409 `rollback-target-changed` where it would be another by now',
    }),
  ),
})

const GoingOnReason = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 2000,
    description:
      'Why the roll-out goes on, also where the comparison of the phase found devices worse',
  }),
)

export const ResumeQuery = Exactly({ reason: GoingOnReason })

export const NextPhaseQuery = Exactly({
  reason: GoingOnReason,
  phase: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'The index of the phase that is meant. 409 `phase-changed` where another would begin, as somebody began this one already',
    }),
  ),
})

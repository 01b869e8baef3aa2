import { Type } from 'typebox'
import { LOG_SEVERITIES } from '../../../formats/device-messages/model.ts'
import { Replacing } from '../../../platform/http/read-only.ts'
import {
  Exactly,
  Nullable,
  OneOf,
  Saying,
  Shape,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { defineMessage } from '../../../platform/jobs/queue.ts'
import { LEVELS } from './configuration.ts'

const LogSeverity = OneOf('LogSeverity', LOG_SEVERITIES)

const DesiredCommand = Exactly(
  {
    logSeverity: Type.Optional(Nullable(LogSeverity)),
    configuration: Type.Optional(
      Exactly(
        { logSeverity: Type.Optional(Nullable(LogSeverity)) },
        { description: 'The same value, as an answer holds it' },
      ),
    ),
  },
  {
    description:
      'A value that is null or missing is cleared: that of the cohort applies, or else the default of the workspace',
    examples: [{ logSeverity: 'Debug' }],
  },
)

export const DesiredConfiguration = Shape('DesiredConfiguration', {
  configuration: Type.Object(
    { logSeverity: Nullable(LogSeverity) },
    {
      description:
        "The device's own values. null: that of its cohort applies, or else of the workspace",
    },
  ),
  effective: Type.Object(
    { logSeverity: LogSeverity },
    { description: 'The values that the device is asked to use' },
  ),
  source: Type.Object(
    { logSeverity: Type.Enum([...LEVELS]) },
    { description: 'Who sets the effective value' },
  ),
  inherited: Type.Object(
    {
      cohort: Nullable(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          logSeverity: Nullable(LogSeverity, { description: 'null: as the workspace has it' }),
        }),
        { description: 'null: the device is in no cohort' },
      ),
      workspace: Type.Object({ logSeverity: LogSeverity }),
    },
    { description: 'What applies where the device has no value of its own, the cohort first' },
  ),
  version: Type.Integer({ description: 'Grows whenever an effective value changes' }),
  acknowledgedVersion: Nullable(
    Type.Integer({ description: 'The newest version that the device reports as applied' }),
  ),
  changedAt: Timestamp,
})

export const SetDesiredConfigurationCommand = Replacing(DesiredCommand, DesiredConfiguration)

export const ReportedConfiguration = Shape('ReportedConfiguration', {
  configuration: Type.Object({
    logSeverity: Nullable(LogSeverity),
    compiledLogSeverity: Nullable(LogSeverity),
    acknowledgedDesiredConfigurationVersion: Nullable(Type.Integer()),
  }),
  version: Type.Integer({ description: 'Grows with every report that changes something' }),
  reportedAt: Timestamp,
})

const MOST_NAMED = 1_000

export const ChangeConfigurationsCommand = Saying(
  Exactly(
    {
      deploymentCohortId: Type.Optional(Type.String({ description: 'All devices in this cohort' })),
      deviceIds: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          maxItems: MOST_NAMED,
          description: 'These devices. State either this or a cohort',
        }),
      ),
      logSeverity: Nullable(LogSeverity, {
        description:
          'null clears the own values of the devices: those of their cohorts apply, or else the default of the workspace',
      }),
    },
    {
      examples: [
        { deploymentCohortId: '01990b4e-2f6a-7c55-9a53-7f0c12f6a001', logSeverity: 'Debug' },
      ],
    },
  ),
  { oneOf: [{ required: ['deploymentCohortId'] }, { required: ['deviceIds'] }] },
)

export const ConfigurationChange = Shape('ConfigurationChange', {
  id: Type.String(),
  state: Type.Enum(['InProgress', 'Completed', 'Failed'], {
    description: 'Completed: the value of every device is set. Devices acknowledge it later',
  }),
  deploymentCohortId: Nullable(Type.String()),
  logSeverity: Nullable(LogSeverity),
  deviceCounts: Type.Object({
    total: Type.Integer({ description: 'Devices selected at the time of the request' }),
    changed: Type.Integer({ description: 'Devices with the value; some may have had it before' }),
    acknowledged: Type.Integer({ description: 'Changed devices that have reported it as applied' }),
    failed: Type.Integer({ description: 'Devices that were deleted before they were changed' }),
  }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  finishedAt: Nullable(Timestamp),
})

export const ConfigurationChangeList = Shape('ConfigurationChangeList', {
  configurationChanges: Type.Array(ConfigurationChange),
})

export const ConfigurationChangeAsked = defineMessage(
  'devices.configuration-change-asked',
  Type.Object({ workspaceId: Type.String(), changeId: Type.String() }),
)

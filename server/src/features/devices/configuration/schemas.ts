import { Type } from 'typebox'
import { LOG_SEVERITIES } from '../../../formats/device-messages/model.ts'
import { Exactly, Nullable, Timestamp } from '../../../platform/http/schemas.ts'
import { message } from '../../../platform/jobs/queue.ts'

const LogSeverity = Type.Enum([...LOG_SEVERITIES])

export const SetDesiredConfigurationCommand = Exactly(
  { logSeverity: Type.Optional(Nullable(LogSeverity)) },
  {
    description: 'What is null or left out is cleared: the default of the workspace applies',
    examples: [{ logSeverity: 'Debug' }],
  },
)

export const DesiredConfiguration = Type.Object({
  configuration: Type.Object(
    { logSeverity: Nullable(LogSeverity) },
    { description: "The device's own values; null: the default of the workspace applies" },
  ),
  effective: Type.Object(
    { logSeverity: LogSeverity },
    { description: 'What the device is asked to use' },
  ),
  version: Type.Integer({ description: 'Grows whenever an effective value changes' }),
  acknowledgedVersion: Nullable(
    Type.Integer({ description: 'The newest version the device says it applied' }),
  ),
  changedAt: Timestamp,
})

export const ReportedConfiguration = Type.Object({
  configuration: Type.Object({
    logSeverity: Nullable(LogSeverity),
    compiledLogSeverity: Nullable(LogSeverity),
    acknowledgedDesiredConfigurationVersion: Nullable(Type.Integer()),
  }),
  version: Type.Integer({ description: 'Grows with every report that changes something' }),
  reportedAt: Timestamp,
})

const MOST_NAMED = 1_000

export const ChangeConfigurationsCommand = Exactly(
  {
    deploymentCohortId: Type.Optional(Type.String({ description: 'All devices in this cohort' })),
    deviceIds: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: MOST_NAMED,
        description: 'These devices; state this or a cohort',
      }),
    ),
    logSeverity: Nullable(LogSeverity, {
      description:
        'null clears the own values of the devices: the default of the workspace applies',
    }),
  },
  {
    examples: [
      { deploymentCohortId: '01990b4e-2f6a-7c55-9a53-7f0c12f6a001', logSeverity: 'Debug' },
    ],
  },
)

export const ConfigurationChange = Type.Object({
  id: Type.String(),
  state: Type.Enum(['InProgress', 'Completed', 'Failed'], {
    description: 'Completed: every device was dealt with. They acknowledge in their own time',
  }),
  deploymentCohortId: Nullable(Type.String()),
  logSeverity: Nullable(LogSeverity),
  deviceCounts: Type.Object({
    total: Type.Integer({ description: 'Devices that were meant when the change was asked for' }),
    changed: Type.Integer({ description: 'Have the value now; some may have had it before' }),
    acknowledged: Type.Integer({ description: 'Of the changed: said that they applied it' }),
    failed: Type.Integer({ description: 'Were deleted before their turn came' }),
  }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  finishedAt: Nullable(Timestamp),
})

export const ConfigurationChangeList = Type.Object({
  configurationChanges: Type.Array(ConfigurationChange),
})

export const ConfigurationChangeAsked = message(
  'devices.configuration-change-asked',
  Type.Object({ workspaceId: Type.String(), changeId: Type.String() }),
)

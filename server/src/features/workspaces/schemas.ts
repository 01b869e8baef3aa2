import { Type } from 'typebox'
import { SCOPES } from '../auth/index.ts'
import { LOG_SEVERITIES } from '../../formats/device-messages/model.ts'
import { Exactly, Nullable, Timestamp } from '../../platform/http/schemas.ts'
import { RELEASE_GATES } from './store.ts'

const ROLES = ['Owner', 'Admin', 'Engineer', 'Viewer'] as const

const Days = Type.Integer({ minimum: 1, maximum: 3650 })
const RemediationTargetDays = Exactly({ Critical: Days, High: Days, Medium: Days, Low: Days })

const writable = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  defaultLogSeverity: Type.Enum([...LOG_SEVERITIES]),
  deviceAutoRegistration: Type.Boolean(),
  remediationTargetDays: RemediationTargetDays,
  metricRetentionDays: Days,
  logRetentionDays: Days,
}

/** These came later than the others: left out of an update, they stay as they are. */
const later = {
  carryOverAssessments: Type.Boolean({
    description: 'New findings take over what was decided about them in the version before',
  }),
  releaseGate: Type.Enum([...RELEASE_GATES], {
    description:
      'Whether a deployment of firmware with active known-exploited or critical findings is let through (Off), let through and marked (Warn), or needs an acknowledgement (Block)',
  }),
  deviceVersionAttribute: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description:
      'The attribute of hawkBit clients that holds the version they run; null: firmware.<slug>, else version',
  }),
  devicePollingSeconds: Type.Integer({
    minimum: 1,
    maximum: 86_399,
    description: 'How often hawkBit clients are asked to poll',
  }),
}

const example = {
  name: 'Acme gateways',
  defaultLogSeverity: 'Info',
  deviceAutoRegistration: false,
  remediationTargetDays: { Critical: 7, High: 30, Medium: 90, Low: 180 },
  metricRetentionDays: 90,
  logRetentionDays: 30,
}

export const UpdateWorkspaceSettingsCommand = Exactly(
  {
    ...writable,
    carryOverAssessments: Type.Optional(later.carryOverAssessments),
    releaseGate: Type.Optional(later.releaseGate),
    deviceVersionAttribute: Type.Optional(later.deviceVersionAttribute),
    devicePollingSeconds: Type.Optional(later.devicePollingSeconds),
  },
  {
    description: 'What is optional and left out stays as it is',
    examples: [example],
  },
)

export const WorkspaceSettings = Type.Object({
  id: Type.String(),
  ...writable,
  ...later,
  updatedAt: Timestamp,
})

export const WorkspaceMembers = Type.Array(
  Type.Object({
    subjectId: Type.String(),
    email: Type.String(),
    displayName: Type.String(),
    role: Type.Enum([...ROLES]),
    joinedAt: Timestamp,
  }),
)

export const WhoAmI = Type.Object({
  workspaceId: Type.String(),
  workspaceName: Type.String(),
  scopes: Type.Array(Type.Enum([...SCOPES])),
})

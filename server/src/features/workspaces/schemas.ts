import { Type } from 'typebox'
import { SCOPES } from '../auth/index.ts'
import { Exactly, Timestamp } from '../../platform/http/schemas.ts'

const LOG_SEVERITIES = ['Debug', 'Info', 'Warning', 'Error', 'Critical'] as const
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

const CarryOverAssessments = Type.Boolean({
  description: 'New findings take over what was decided about them in the version before',
})

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
    carryOverAssessments: Type.Optional(
      Type.Boolean({ description: 'Left out, it stays as it is: it came later than the others' }),
    ),
  },
  { examples: [example] },
)

export const WorkspaceSettings = Type.Object({
  id: Type.String(),
  ...writable,
  carryOverAssessments: CarryOverAssessments,
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

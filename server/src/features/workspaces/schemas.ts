import { Type } from 'typebox'
import { ACCEPTANCE_REQUIREMENTS } from '../../formats/acceptances.ts'
import { ROLES, SCOPES } from '../auth/index.ts'
import { LOG_SEVERITIES } from '../../formats/device-messages/model.ts'
import { GATE_SUPPORT_RULES, IMAGE_DEMANDS, RELEASE_GATES } from '../../formats/gate-rules.ts'
import { PORTAL_PAGES } from '../../formats/portal-pages.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import {
  Exactly,
  ExactShape,
  Name,
  Nullable,
  OneOf,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { DISPUTED_ORDERS } from './store.ts'

const Days = Type.Integer({ minimum: 1, maximum: 3650 })
const RemediationTargetDays = ExactShape('RemediationTargetDays', {
  Critical: Days,
  High: Days,
  Medium: Days,
  Low: Days,
})

const writable = {
  name: Name,
  defaultLogSeverity: OneOf('LogSeverity', LOG_SEVERITIES),
  deviceAutoRegistration: Type.Boolean(),
  remediationTargetDays: RemediationTargetDays,
  metricRetentionDays: Days,
  logRetentionDays: Days,
}

/** Fields that were added optional. Existing clients leave them out of an update, so they are optional there. */
const optional = {
  metricHourRetentionDays: Type.Integer({
    minimum: 1,
    maximum: 3650,
    description:
      'How long the sums of hours of metrics are kept; at least as long as their points (`metricRetentionDays`) in any case',
  }),
  carryOverAssessments: Type.Boolean({
    description: 'New findings take over the decisions made in the previous version',
  }),
  releaseGate: Type.Enum([...RELEASE_GATES], {
    description:
      'Whether firmware with active known-exploited or critical findings can be deployed: always (Off), with a mark (Warn), or after an acknowledgement (Block)',
  }),
  listFuzzingFindings: Type.Boolean({
    description:
      'Whether lists have crashes that OSS-Fuzz found (OSV-…), which have neither CVE nor score, before somebody assessed them. They are of low confidence, and not active, in any case',
  }),
  deviceVersionAttribute: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description:
      'The attribute in which hawkBit clients report their version; null: firmware.<slug>, or version',
  }),
  devicePollingSeconds: Type.Integer({
    minimum: 1,
    maximum: 86_399,
    description: 'The polling interval that hawkBit clients are asked to use',
  }),
  replacedSbomDays: Type.Integer({
    minimum: 0,
    maximum: 3650,
    description: 'How long SBOMs are kept that others replaced; they use `storedBytes` meanwhile',
  }),
  requireSecondFactor: Type.Boolean({
    description: 'Members reach the workspace only after signing in with a second factor',
  }),
  decidingVexAuthors: Type.Array(Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }), {
    maxItems: 50,
    description:
      'Authors whose imported VEX documents decide over people, by statements newer than the decision; as the documents write them',
    examples: [[]],
  }),
  acceptanceRequirements: Type.Array(OneOf('AcceptanceRequirement', ACCEPTANCE_REQUIREMENTS), {
    maxItems: ACCEPTANCE_REQUIREMENTS.length,
    uniqueItems: true,
    description: 'What people and keys have to say when they ignore a finding; else 400',
    examples: [[]],
  }),
  acceptanceNoticeDays: Type.Integer({
    minimum: 0,
    maximum: 365,
    description:
      'How many days before an accepted risk ends its owner is told; 0: only when it ends',
  }),
  acceptanceWebhookId: Nullable(Type.String({ format: 'uuid' }), {
    description: 'The webhook that is told of ends of accepted risks; null: only mails tell',
  }),
  gateForbidsExploitedAcceptances: Type.Boolean({
    description:
      'The release gate counts exploited findings that are ignored as if they were not ignored',
  }),
  gateSupport: Type.Enum([...GATE_SUPPORT_RULES], {
    description:
      'What the release gate asks of the support of components: nothing (NotAsked), that none is out of support (NotEnded), or besides that none ends before the day that the release line or firmware promises (UntilPromise). What is not known is told, and stops nothing',
  }),
  gateImages: Type.Array(OneOf('ImageDemand', IMAGE_DEMANDS), {
    uniqueItems: true,
    description:
      'What the release gate demands of each artifact: that a trusted key signed it (Signed), that no published test key did (NoTestKey), that it states the version it is called (NamedVersion), a security counter that is not lower than that of the predecessor (CounterNotLower), that it is linked to an SBOM that describes it (ChainComplete); and that a trusted key signed each SBOM of the version (SbomSigned). What is not known meets no demand',
  }),
  gateNewCrashes: Type.Boolean({
    description:
      'The release gate counts open groups of crashes of the versions that no earlier version had, and those that cannot be compared as lines of the build are not uploaded',
  }),
  deviceKeyRotationDays: Nullable(Type.Integer({ minimum: 1, maximum: 3650 }), {
    description:
      'After how many days devices are asked to replace a key of their own, unless their cohort says otherwise; null: only when somebody asks',
  }),
  disputedFindings: Type.Enum([...DISPUTED_ORDERS], {
    description:
      'Where disputed findings stand in the list of a version, by risk: as any other (Normal), or after all others (Last)',
  }),
}

const example = {
  name: 'Acme gateways',
  defaultLogSeverity: 'Info',
  deviceAutoRegistration: false,
  remediationTargetDays: { Critical: 7, High: 30, Medium: 90, Low: 180 },
  metricRetentionDays: 30,
  logRetentionDays: 30,
}

const UpdateCommand = Exactly(
  {
    ...writable,
    metricHourRetentionDays: Type.Optional(optional.metricHourRetentionDays),
    carryOverAssessments: Type.Optional(optional.carryOverAssessments),
    releaseGate: Type.Optional(optional.releaseGate),
    listFuzzingFindings: Type.Optional(optional.listFuzzingFindings),
    deviceVersionAttribute: Type.Optional(optional.deviceVersionAttribute),
    devicePollingSeconds: Type.Optional(optional.devicePollingSeconds),
    replacedSbomDays: Type.Optional(optional.replacedSbomDays),
    requireSecondFactor: Type.Optional(optional.requireSecondFactor),
    decidingVexAuthors: Type.Optional(optional.decidingVexAuthors),
    disputedFindings: Type.Optional(optional.disputedFindings),
    acceptanceRequirements: Type.Optional(optional.acceptanceRequirements),
    acceptanceNoticeDays: Type.Optional(optional.acceptanceNoticeDays),
    acceptanceWebhookId: Type.Optional(optional.acceptanceWebhookId),
    gateForbidsExploitedAcceptances: Type.Optional(optional.gateForbidsExploitedAcceptances),
    gateSupport: Type.Optional(optional.gateSupport),
    gateImages: Type.Optional(optional.gateImages),
    gateNewCrashes: Type.Optional(optional.gateNewCrashes),
    deviceKeyRotationDays: Type.Optional(optional.deviceKeyRotationDays),
  },
  {
    description: 'Optional fields that are left out keep their values',
    examples: [example],
  },
)

export const WorkspaceSettings = Shape('WorkspaceSettings', {
  id: Type.String(),
  ...writable,
  ...optional,
  updatedAt: Timestamp,
})

export const UpdateWorkspaceSettingsCommand = Replacing(UpdateCommand, WorkspaceSettings)

export const WorkspaceMember = Shape('WorkspaceMember', {
  subjectId: Type.String(),
  email: Type.String(),
  displayName: Type.String(),
  role: OneOf('Role', ROLES),
  joinedAt: Timestamp,
})

export const ChangeRoleCommand = Replacing(
  Exactly({ role: OneOf('Role', ROLES) }, { examples: [{ role: 'Engineer' }] }),
  WorkspaceMember,
)

export const RemoveMemberQuery = Type.Object(
  {
    revokesKeys: Type.Optional(
      Type.Enum(['true', 'false'], {
        default: 'false',
        description:
          'Also revoke the API keys that the member made; needs `Workspace settings: write`',
      }),
    ),
    acceptancesTo: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'The member (`subjectId`) who takes the accepted risks that this one looks after; needs `Vulnerabilities: write`. Without it they stay without an owner (`withoutOwner` of `acceptances/list`)',
      }),
    ),
    handOverTo: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'The member (`subjectId`) who takes all that this one looks after: accepted risks, assigned vulnerabilities, open incidents, and the place in owner rules and teams; needs `Vulnerabilities: write`, `Alerts: write` and `Workspace settings: write`. `GET …/duties` counts it',
      }),
    ),
  },
  { additionalProperties: false },
)

export const MemberDuties = Shape('MemberDuties', {
  acceptedRisks: Type.Integer({ description: 'Those that hold' }),
  vulnerabilities: Type.Integer({ description: 'Assigned to the member' }),
  incidents: Type.Integer({ description: 'Open ones, assigned to the member' }),
  ownerRules: Type.Integer({ description: 'Rules that give findings to the member' }),
  teams: Type.Integer({ description: 'Teams of owners that the member belongs to' }),
  teamsWithoutOthers: Type.Integer({
    description: 'Of these, teams without another member: their rules would give nothing',
  }),
})

export const Roles = Type.Array(
  Shape('RoleDescription', {
    role: OneOf('Role', ROLES),
    description: Type.String(),
    scopes: Type.Array(OneOf('Scope', SCOPES)),
  }),
  { description: 'From the highest to the lowest' },
)

export const WorkspaceMembers = Type.Array(WorkspaceMember)

export const WhoAmI = Shape('WhoAmI', {
  version: Type.String({ description: 'Of the service' }),
  workspaceId: Type.String(),
  workspaceName: Type.String(),
  key: Type.Object(
    {
      id: Type.String(),
      name: Type.String(),
      createdByEmail: Type.String(),
      isLogin: Type.Boolean({ description: 'Made by `plimsoll login`, for this person' }),
      expiresAt: Nullable(Timestamp),
    },
    { description: 'The key that asks' },
  ),
  scopes: Type.Array(OneOf('Scope', SCOPES)),
  warnings: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }), {
    description:
      'What is wrong with how the service is reached, for keys that may change the settings of the workspace; else empty',
  }),
  portalPages: Nullable(
    Type.Object(Object.fromEntries(PORTAL_PAGES.map((page) => [page, Type.String()])), {
      description:
        'The addresses of the pages of the portal as URI templates, by what they speak of; null: the service has no portal',
      examples: [{ device: 'https://plimsoll.example.com/w/0198cf00-…/devices/{deviceId}' }],
    }),
  ),
})

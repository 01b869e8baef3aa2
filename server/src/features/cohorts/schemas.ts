import { Type } from 'typebox'
import { LOG_SEVERITIES } from '../../formats/device-messages/model.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import {
  Exactly,
  ExactShape,
  Name,
  Nullable,
  OneOf,
  PageRequest,
  Reference,
  Saying,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'

const LogSeverity = Nullable(OneOf('LogSeverity', LOG_SEVERITIES), {
  description:
    'What its devices are asked to log, unless they have a value of their own. null: as the workspace has it',
})
const PollingSeconds = Nullable(Type.Integer({ minimum: 1, maximum: 86_399 }), {
  description:
    'How often its hawkBit clients are asked to poll; null: as the workspace has it. Less than a day, as these clients read HH:MM:SS',
})
const PollingJitterPercent = Type.Integer({
  minimum: 0,
  maximum: 50,
  description:
    'By how much the interval of a device may be longer or shorter, so that not all poll at once; each keeps its own',
})
const KeyRotationDays = Nullable(Type.Integer({ minimum: 0, maximum: 3650 }), {
  description:
    'After how many days its devices are asked to replace a key of their own; null: as the workspace has it, 0: only when somebody asks',
})
const Description = Nullable(Type.String({ maxLength: 4000 }))
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100 })
const TagRule = Saying(
  ExactShape(
    'TagRule',
    { all: Type.Optional(Tags), any: Type.Optional(Tags), none: Type.Optional(Tags) },
    {
      description:
        'A device without a cohort joins when it has all tags of `all`, at least one of `any`, and none of `none`. It leaves when the rule no longer matches.',
    },
  ),
  { minProperties: 1 },
)
const rule = Nullable(TagRule, { description: 'null: hand-picked devices only' })
const MAX_DEVICES = 100_000

export const CreateCohortCommand = Exactly(
  {
    name: Name,
    description: Type.Optional(Description),
    tagRule: Type.Optional(rule),
    logSeverity: Type.Optional(LogSeverity),
    pollingSeconds: Type.Optional(PollingSeconds),
    pollingJitterPercent: Type.Optional(PollingJitterPercent),
    keyRotationDays: Type.Optional(KeyRotationDays),
  },
  { examples: [{ name: 'Field test', tagRule: { all: ['gateway'], none: ['lab'] } }] },
)

export const SetCohortDevicesCommand = Exactly(
  {
    deviceIds: Type.Array(Type.String({ maxLength: 128 }), { maxItems: MAX_DEVICES }),
    move: Type.Optional(
      Type.Boolean({ default: false, description: 'Move devices that belong to other cohorts' }),
    ),
  },
  { examples: [{ deviceIds: ['gateway-0001', 'gateway-0002'] }] },
)

export const Cohort = Shape('DeploymentCohort', {
  id: Type.String(),
  name: Name,
  description: Description,
  tagRule: rule,
  logSeverity: LogSeverity,
  pollingSeconds: PollingSeconds,
  pollingJitterPercent: PollingJitterPercent,
  keyRotationDays: KeyRotationDays,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  deviceCount: Type.Integer(),
  activeDeploymentId: Nullable(Type.String()),
})

export const ChangeCohortCommand = Replacing(
  Exactly(
    {
      name: Name,
      description: Type.Optional(Description),
      tagRule: Type.Optional(rule),
      logSeverity: Type.Optional(LogSeverity),
      pollingSeconds: Type.Optional(PollingSeconds),
      pollingJitterPercent: Type.Optional(PollingJitterPercent),
      keyRotationDays: Type.Optional(KeyRotationDays),
    },
    { examples: [{ name: 'Field test, west' }] },
  ),
  Cohort,
)

export const PreviewTagRuleCommand = Exactly(
  {
    deploymentCohortId: Type.Optional(
      Nullable(Type.String({ maxLength: 200 }), {
        description: 'The cohort whose rule would be another; null: a new cohort',
      }),
    ),
    tagRule: rule,
  },
  { examples: [{ tagRule: { all: ['gateway'], none: ['lab'] } }] },
)

export const TagRulePreview = Shape('TagRulePreview', {
  moves: Type.Array(
    Type.Object({
      from: Nullable(Reference, { description: 'null: they are in no cohort' }),
      to: Nullable(Type.Object({ id: Nullable(Type.String()), name: Nullable(Type.String()) }), {
        description: 'null: they would be in no cohort. Without an id: the new cohort',
      }),
      devices: Type.Integer(),
    }),
    { description: 'Devices that would change their cohort, most first' },
  ),
})

export const CohortList = Shape('DeploymentCohortList', { deploymentCohorts: Type.Array(Cohort) })

export const CohortDevicesQuery = Exactly(PageRequest)

export const CohortDevicePage = Shape('DeploymentCohortDevicePage', {
  devices: Type.Array(
    Shape('DeploymentCohortDevice', {
      id: Type.String(),
      byRule: Type.Boolean({ description: 'The device joined by the tag rule' }),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

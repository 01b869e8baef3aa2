import { type Static, Type } from 'typebox'
import { SSVC_SOURCES } from '../../formats/ssvc/explanation.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import {
  Exactly,
  ExactShape,
  Nullable,
  Saying,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'

const Outcome = Type.String({
  examples: ['Attend'],
  description: 'The name of an outcome of the tree',
})

export const PREVALENCES = ['Minimal', 'Support', 'Essential'] as const
export const WELL_BEINGS = ['Minimal', 'Material', 'Irreversible'] as const
export const EXPOSURES = ['Small', 'Controlled', 'Open'] as const
const MOST_STATED = 10_000

const TreeId = Type.String({
  maxLength: 20,
  examples: ['Fleet'],
  description:
    'Fleet: CISA’s table, with exposure and prevalence from the fleet. Cisa: CISA’s table as published. Or the id of a tree of the workspace',
})

const TARGETS =
  'By outcome of the tree: in how many days a finding is to be decided. The earlier day counts: of this target, and of that of its severity.'
const TargetDays = Type.Record(
  Type.String({ maxLength: 200 }),
  Type.Integer({ minimum: 1, maximum: 3650 }),
  {
    maxProperties: 10,
    examples: [{ Act: 7, Attend: 30 }],
    description: TARGETS,
  },
)

const GATE =
  'From which outcome on an active finding stops a version at the release gate, if the gate warns or blocks; null: the gate does not ask.'

/** What a workspace states. */
export const SsvcStated = ExactShape(
  'SsvcStated',
  {
    tree: TreeId,
    manyDevices: Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'So many devices that run a version, or more, are many: its prevalence',
    }),
    products: Type.Array(
      ExactShape('SsvcProduct', {
        firmwareId: Type.String({ format: 'uuid' }),
        missionPrevalence: Nullable(Type.Enum([...PREVALENCES]), {
          description: 'How much missions of its users depend on it; null: not known',
        }),
        publicWellBeing: Nullable(Type.Enum([...WELL_BEINGS]), {
          description: 'The harm to people that its failure can do; null: not known',
        }),
      }),
      { maxItems: MOST_STATED, description: 'Products without an entry are not known' },
    ),
    cohorts: Type.Array(
      ExactShape('SsvcCohort', {
        cohortId: Type.String({ format: 'uuid' }),
        exposure: Type.Enum([...EXPOSURES], {
          description: 'Whether its devices can be reached from outside',
        }),
      }),
      {
        maxItems: MOST_STATED,
        description: 'The exposure of devices in other cohorts, or in none, is not known',
      },
    ),
    gateFrom: Type.Optional(Nullable(Outcome, { description: `${GATE} Left out: as it is` })),
    targetDays: Type.Optional(
      Saying(TargetDays, {
        description: `${TARGETS} Left out: as it is, but for outcomes that the tree does not have`,
      }),
    ),
  },
  { examples: [{ tree: 'Fleet', manyDevices: 100, products: [], cohorts: [] }] },
)
export type SsvcCommand = Static<typeof SsvcStated>

export const SsvcSettings = Shape('SsvcSettings', {
  ...SsvcStated.properties,
  targetDays: TargetDays,
  gateFrom: Nullable(Outcome, { description: GATE }),
  treeName: Type.String(),
  outcomes: Type.Array(Outcome, { description: 'From the least to the most urgent' }),
  id: Type.String({ description: 'That of the workspace' }),
  updatedAt: Nullable(Timestamp, { description: 'null: nothing was stated yet' }),
})

/** Also what GET answers beside it. */
export const UpdateSsvcCommand = Replacing(SsvcStated, SsvcSettings)

export const SsvcCounts = Shape('SsvcPreview', {
  findingCount: Type.Integer({ description: 'Rows of the list of findings' }),
  changedCount: Type.Integer({ description: 'Rows that would have another outcome than now' }),
  changes: Type.Array(
    Shape('SsvcChange', {
      from: Outcome,
      to: Outcome,
      count: Type.Integer(),
    }),
    { description: 'Also those that stay; most frequent first' },
  ),
})

const TablePoint = Type.Object({
  namespace: Type.String({ maxLength: 200 }),
  key: Type.String({ maxLength: 100 }),
  version: Type.String({ maxLength: 50 }),
  name: Type.String({ maxLength: 200 }),
  definition: Type.Optional(Type.String({ maxLength: 10_000 })),
  values: Type.Array(
    Type.Object({
      key: Type.String({ maxLength: 100 }),
      name: Type.String({ maxLength: 200 }),
      definition: Type.Optional(Type.String({ maxLength: 10_000 })),
    }),
    { minItems: 1, maxItems: 50 },
  ),
})

const DecisionTableSchema = Shape('SsvcDecisionTable', {
  namespace: Type.String({ maxLength: 200 }),
  key: Type.String({ maxLength: 100 }),
  version: Type.String({ maxLength: 50 }),
  name: Type.String({ maxLength: 200 }),
  definition: Type.Optional(Type.String({ maxLength: 10_000 })),
  schemaVersion: Type.Optional(Type.String({ maxLength: 50 })),
  decision_points: Type.Record(Type.String({ maxLength: 400 }), TablePoint, { maxProperties: 20 }),
  outcome: Type.String({ maxLength: 400 }),
  mapping: Type.Array(
    Type.Record(Type.String({ maxLength: 400 }), Type.String({ maxLength: 100 })),
    {
      maxItems: 20_000,
    },
  ),
})

export const AddTreeCommand = Exactly(
  {
    tables: Type.Array(DecisionTableSchema, {
      minItems: 1,
      maxItems: 10,
      description:
        'Decision tables as CERT/CC publishes them (schema 2.0.0). The first decides; the others decide points that it asks for',
    }),
  },
  {
    examples: [
      {
        tables: [
          {
            namespace: 'x_example',
            key: 'DT_LISTED',
            version: '1.0.0',
            name: 'Listed as exploited',
            decision_points: {
              'cisa:KEV:1.0.0': {
                namespace: 'cisa',
                key: 'KEV',
                version: '1.0.0',
                name: 'In KEV',
                values: [
                  { key: 'N', name: 'No' },
                  { key: 'Y', name: 'Yes' },
                ],
              },
              'x_example:WHEN:1.0.0': {
                namespace: 'x_example',
                key: 'WHEN',
                version: '1.0.0',
                name: 'When to mend it',
                values: [
                  { key: 'L', name: 'Later' },
                  { key: 'N', name: 'Now' },
                ],
              },
            },
            outcome: 'x_example:WHEN:1.0.0',
            mapping: [
              { 'cisa:KEV:1.0.0': 'N', 'x_example:WHEN:1.0.0': 'L' },
              { 'cisa:KEV:1.0.0': 'Y', 'x_example:WHEN:1.0.0': 'N' },
            ],
          },
        ],
      },
    ],
  },
)

const treeFields = {
  id: TreeId,
  name: Type.String(),
  version: Type.String({ description: 'As the first table says' }),
  outcomes: Type.Array(Outcome, { description: 'From the least to the most urgent' }),
  asks: Type.Array(Type.String({ examples: ['Exploitation'] }), {
    description: 'The decision points that it asks for',
  }),
  addedAt: Nullable(Timestamp, { description: 'null: every workspace has it' }),
  addedBy: Nullable(Type.String()),
}
export const SsvcTree = Shape('SsvcTree', treeFields)
export const SsvcTrees = Shape('SsvcTrees', { trees: Type.Array(SsvcTree) })
export const SsvcTreeDetail = Shape('SsvcTreeDetail', {
  ...treeFields,
  tables: Type.Array(DecisionTableSchema),
})

/** What rows of lists show of SSVC. */
export const ssvcFields = {
  ssvcOutcome: Type.String({
    examples: ['Attend'],
    description:
      'What the SSVC tree of the workspace decides. Of several findings the most urgent one; what is not known counts as its most urgent value. The fleet and the class of the vulnerability as counted once a minute',
  }),
  ssvcLeastOutcome: Type.String({
    examples: ['Track'],
    description:
      'The least urgent one that it may be: of several findings, or once all is known. The same as ssvcOutcome where nothing is open',
  }),
}
export const ssvcFilterFields = {
  ssvcOutcomes: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 10,
      description: 'Names or keys of outcomes of the SSVC tree that holds, whatever their case',
    }),
  ),
  ssvcFrom: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'This outcome of the SSVC tree that holds, or a more urgent one',
    }),
  ),
}

export const SsvcExplanationSchema = Shape('SsvcExplanation', {
  tree: TreeId,
  treeName: Type.String(),
  outcome: Outcome,
  possibleOutcomes: Type.Array(Outcome, {
    description: 'What it may be once all is known, from the least to the most urgent',
  }),
  steps: Type.Array(
    Shape('SsvcStep', {
      point: Type.String({ examples: ['ssvc:E'] }),
      name: Type.String({ examples: ['Exploitation'] }),
      values: Type.Array(Type.String(), {
        description: 'One if it is known, else all that it may be',
      }),
      isKnown: Type.Boolean(),
      source: Type.Enum([...SSVC_SOURCES]),
    }),
  ),
})

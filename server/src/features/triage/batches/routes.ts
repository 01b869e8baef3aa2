import { Type } from 'typebox'
import { DECISION_SOURCES } from '../../../formats/assessments.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  Exactly,
  Nullable,
  OneOf,
  Shape,
  Timestamp,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { AssessmentSchema } from '../../findings/index.ts'
import { describeActor } from '../service.ts'
import { listDecisionRuns } from './runs-service.ts'
import { listBatchFindings, listDecisionBatches, undoDecisionBatch } from './service.ts'
import { DECISION_ACTS } from './store.ts'

const tags = ['Vulnerability findings']
const NullableText = Nullable(Type.String())

const DecisionBatches = Shape('DecisionBatches', {
  decisionBatches: Type.Array(
    Shape('DecisionBatch', {
      id: Type.String(),
      createdAt: Timestamp,
      source: OneOf('DecisionSource', DECISION_SOURCES),
      createdByEmail: NullableText,
      act: OneOf('DecisionAct', DECISION_ACTS),
      assessment: Nullable(AssessmentSchema, { description: 'null: it assessed nothing' }),
      findingCount: Type.Integer({ description: 'Number of findings that it changed' }),
      cveIds: Type.Array(Type.String(), { description: 'Of these findings, the first five' }),
      cveCount: Type.Integer(),
      alsoFuture: Type.Boolean({ description: 'It also holds for findings to come' }),
      undoneAt: Nullable(Timestamp, { description: 'null: it is not taken back' }),
      undoneByEmail: NullableText,
      leftCount: Nullable(Type.Integer(), {
        description: 'Number of findings that kept what was decided when it was taken back',
      }),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

const DecidedState = Shape('DecidedState', {
  assessment: AssessmentSchema,
  ignored: Type.Boolean(),
})

const DecidedFindings = Shape('DecidedFindings', {
  findings: Type.Array(
    Shape('DecidedFinding', {
      findingId: Type.String(),
      cveId: Type.String(),
      firmwareVersion: Shape('VersionOfFirmware', {
        id: Type.String(),
        name: Type.String(),
        firmwareName: Type.String(),
      }),
      before: DecidedState,
      after: DecidedState,
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

const DecisionRuns = Shape('DecisionRuns', {
  decisionRuns: Type.Array(
    Shape('DecisionRun', {
      id: Type.String({ description: 'Of the decision batch that it becomes, or takes back' }),
      isUndo: Type.Boolean(),
      act: OneOf('DecisionAct', DECISION_ACTS),
      assessment: Nullable(AssessmentSchema, { description: 'null: it assesses nothing' }),
      createdByEmail: NullableText,
      startedAt: Timestamp,
      state: OneOf('DecisionRunState', ['Running', 'Stopped']),
      findingCount: Nullable(Type.Integer(), { description: 'null: they are being looked for' }),
      doneCount: Type.Integer({ description: 'All of them count at once when it ends' }),
    }),
  ),
})

const UndoneDecisions = Shape('UndoneDecisions', {
  restored: Type.Integer({ description: 'Number of findings that have again what they had' }),
  endedAtOnce: Type.Optional(
    Type.Integer({
      description:
        'Those of them that are accepted again and end at once, as a condition is met by now; absent: none',
    }),
  ),
  left: Type.Integer({
    description: 'Number of findings that somebody has decided since; they are left as they are',
  }),
  leftFindings: Type.Array(
    Shape('LeftFinding', {
      findingId: Type.String(),
      cveId: Type.String(),
      firmwareVersionName: Type.String(),
      assessment: AssessmentSchema,
      ignored: Type.Boolean(),
    }),
    { description: 'The first 20 of them' },
  ),
})

export function registerDecisionBatchRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/decision-batches',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listDecisionBatches',
        summary: 'List what was decided by one command each, newest first',
        tags,
        params: WorkspaceParams,
        querystring: Type.Object(
          {
            mine: Type.Optional(
              Type.Enum(['true', 'false'], { description: 'Only what the caller decided' }),
            ),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
            cursor: Type.Optional(Type.String({ maxLength: 4096 })),
          },
          { additionalProperties: false },
        ),
        response: { 200: DecisionBatches, ...defineProblems(400, 404) },
      },
    },
    ({ params, query: { mine, ...page }, principal: { actor } }) =>
      listDecisionBatches(ctx, {
        ...params,
        ...page,
        ...(mine === 'true' && { createdByEmail: actor.email ?? '' }),
      }),
  )

  app.get(
    '/decision-batches/:decisionBatchId/findings',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listDecidedFindings',
        summary: 'List what a decision batch changed: each finding before and after',
        tags,
        params: defineWorkspaceParams('decisionBatchId'),
        querystring: Type.Object(
          {
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
            cursor: Type.Optional(Type.String({ maxLength: 4096 })),
          },
          { additionalProperties: false },
        ),
        response: { 200: DecidedFindings, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => listBatchFindings(ctx, { ...params, ...query }),
  )

  app.get(
    '/decision-runs',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listDecisionRuns',
        summary: 'List the large decisions that are under way, and how far they are',
        description:
          'A run is one transaction. One that is no longer listed has ended: GET …/decision-batches has it if it changed something. One that is `Stopped` ended in the middle and changed nothing; it is listed for a day.',
        tags,
        params: WorkspaceParams,
        querystring: Type.Object(
          { mine: Type.Optional(Type.Enum(['true', 'false'])) },
          { additionalProperties: false },
        ),
        response: { 200: DecisionRuns, ...defineProblems(400, 404) },
      },
    },
    ({ params, query: { mine }, principal: { actor } }) =>
      listDecisionRuns(ctx, {
        ...params,
        ...(mine === 'true' && { createdByEmail: actor.email ?? '' }),
      }),
  )

  app.post(
    '/decision-batches/:decisionBatchId/undo',
    {
      config: { scope: 'Vulnerabilities: write' },
      schema: {
        operationId: 'undoDecisionBatch',
        summary: 'Take back what one command decided, or preview it',
        description:
          'Each finding gets what it had before, also where they differed. Findings that somebody has decided since are left as they are.',
        tags,
        params: defineWorkspaceParams('decisionBatchId'),
        body: Exactly(
          {
            dryRun: Type.Optional(
              Type.Boolean({
                default: false,
                description: 'Return what would change, without changing it',
              }),
            ),
          },
          { examples: [{}] },
        ),
        response: { 200: UndoneDecisions, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) =>
      undoDecisionBatch(ctx, { ...params, ...body, actor, by: describeActor(actor) }),
  )
}

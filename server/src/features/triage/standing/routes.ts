import { Type } from 'typebox'
import { describeAcceptance } from '../../../formats/acceptances.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  Nullable,
  defineProblems,
  Shape,
  Timestamp,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { AcceptanceSchema, AssessmentSchema } from '../../findings/index.ts'
import { FirmwareReference } from '../../firmware/index.ts'
import { deleteStandingDecision } from './service.ts'
import { listStandingDecisions } from './store.ts'

const NullableText = Nullable(Type.String())
const tags = ['Vulnerability findings']

const LineOfDecision = Shape('LineOfDecision', {
  id: Type.String(),
  name: Type.String({ description: 'Of the release line', examples: ['2.x LTS'] }),
  firmware: FirmwareReference,
})

const StandingDecisions = Shape('StandingDecisions', {
  standingDecisions: Type.Array(
    Shape('StandingDecision', {
      id: Type.String(),
      vulnerabilityId: Type.String({ examples: ['CVE-2024-3094'] }),
      componentName: Nullable(Type.String({ examples: ['xz'] }), {
        description: 'null: in whatever component',
      }),
      line: Nullable(LineOfDecision, {
        description:
          'The release line whose versions it holds for; null: all versions of all firmwares',
      }),
      assessment: Nullable(AssessmentSchema, { description: 'null: findings are only ignored' }),
      ignored: Type.Boolean(),
      acceptance: Nullable(AcceptanceSchema),
      justification: NullableText,
      responses: Type.Array(Type.String()),
      detail: NullableText,
      createdAt: Timestamp,
      createdByEmail: NullableText,
    }),
    { description: 'Newest first, at most 10,000' },
  ),
})

export function registerStandingDecisionRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/standing-decisions',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listStandingDecisions',
        summary: 'List the decisions that hold for findings to come',
        description:
          'Deciding about many findings with `alsoFuture` makes them. A finding that begins takes the decision over, unless somebody has decided it, or decided about its predecessor since.',
        tags,
        params: WorkspaceParams,
        response: { 200: StandingDecisions, ...defineProblems(400, 404) },
      },
    },
    async ({ params }) => ({
      standingDecisions: (await listStandingDecisions(ctx.db, params.workspaceId)).map(
        ({ acceptance, ...one }) => ({ ...one, acceptance: describeAcceptance(acceptance) }),
      ),
    }),
  )

  app.delete(
    '/standing-decisions/:standingDecisionId',
    {
      config: { scope: 'Vulnerabilities: write' },
      schema: {
        operationId: 'deleteStandingDecision',
        summary: 'End a decision for findings to come; findings that it decided stay decided',
        tags,
        params: defineWorkspaceParams('standingDecisionId'),
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await deleteStandingDecision(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )
}

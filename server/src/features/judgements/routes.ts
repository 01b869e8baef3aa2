import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { judgeComponent } from './service.ts'

export function registerJudgementRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/firmware-versions/:firmwareVersionId/components/:componentId/judgements',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'judgeComponent',
        summary: 'Why a component has a vulnerability, or has it not',
        description:
          'Evaluates every record of the vulnerability now, by the rules of matching. It answers also for what is not found.',
        tags: ['Vulnerability findings'],
        params: defineWorkspaceParams('firmwareVersionId', 'componentId'),
        querystring: schemas.JudgementsQuery,
        response: { 200: schemas.ComponentJudgements, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => judgeComponent(ctx, { ...params, ...query }),
  )
}

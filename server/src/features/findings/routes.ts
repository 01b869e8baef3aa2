import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, workspaceParams } from '../../platform/http/schemas.ts'
import { listRoutes } from './list/routes.ts'
import { AsOfQuery } from './schemas.ts'
import * as schemas from './detail/schemas.ts'
import { getFinding } from './detail/service.ts'

const tags = ['Vulnerability findings']

export function findingRoutes(app: App, ctx: AppContext): void {
  listRoutes(app, ctx)

  app.get(
    '/vulnerability-findings/:findingId',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getVulnerabilityFinding',
        summary: 'Get a finding with its evidence, advisories and timeline',
        tags,
        params: workspaceParams('findingId'),
        querystring: AsOfQuery,
        response: { 200: schemas.FindingDetail, ...problems(400, 404) },
      },
    },
    ({ params, query }) => getFinding(ctx, { ...params, ...query }),
  )
}

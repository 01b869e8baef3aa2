import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, workspaceParams } from '../../platform/http/schemas.ts'
import { assessFinding, ignoreFinding } from './assess-service.ts'
import { FindingDetail } from './schemas.ts'
import * as schemas from './triage-schemas.ts'

const tags = ['Vulnerability findings']
const FindingParams = workspaceParams('findingId')

export function triageRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/vulnerability-findings/:findingId/assessments',
    {
      config: { scope: 'Vulnerabilities: write' },
      schema: {
        operationId: 'assessVulnerabilityFinding',
        summary: 'Assess a finding',
        tags,
        params: FindingParams,
        body: schemas.AssessVulnerabilityFindingCommand,
        response: { 200: FindingDetail, ...problems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => assessFinding(ctx, { ...params, ...body, actor }),
  )

  app.put(
    '/vulnerability-findings/:findingId/ignore',
    {
      config: { scope: 'Vulnerabilities: write' },
      schema: {
        operationId: 'ignoreVulnerabilityFinding',
        summary: 'Ignore a finding, or no longer; its assessment stays',
        tags,
        params: FindingParams,
        body: schemas.IgnoreVulnerabilityFindingCommand,
        response: { 200: FindingDetail, ...problems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => ignoreFinding(ctx, { ...params, ...body, actor }),
  )
}

import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { assessFinding, ignoreFinding } from './service.ts'
import { assessFindings, ignoreFindings, repeatDecisions } from './bulk/service.ts'
import { FindingDetail } from '../findings/index.ts'
import { registerAcceptanceRoutes } from './acceptances/routes.ts'
import { registerDecisionBatchRoutes } from './batches/routes.ts'
import { registerStandingDecisionRoutes } from './standing/routes.ts'
import * as schemas from './schemas.ts'

const tags = ['Vulnerability findings']
const FindingParams = defineWorkspaceParams('findingId')

export function registerTriageRoutes(app: App, ctx: AppContext): void {
  registerStandingDecisionRoutes(app, ctx)
  registerDecisionBatchRoutes(app, ctx)
  registerAcceptanceRoutes(app, ctx)

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
        response: { 200: FindingDetail, ...defineProblems(400, 404) },
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
        summary: 'Ignore a finding, or stop ignoring it; its assessment stays',
        tags,
        params: FindingParams,
        body: schemas.IgnoreVulnerabilityFindingCommand,
        response: { 200: FindingDetail, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => ignoreFinding(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/vulnerability-findings/bulk-assess',
    {
      config: { scope: 'Vulnerabilities: write', namesIn: 'filter' },
      schema: {
        operationId: 'assessVulnerabilityFindings',
        summary: 'Assess many findings, or preview how many would change',
        tags,
        params: WorkspaceParams,
        body: schemas.AssessVulnerabilityFindingsCommand,
        response: { 200: schemas.BulkAnswer, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => assessFindings(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/vulnerability-findings/bulk-ignore',
    {
      config: { scope: 'Vulnerabilities: write', namesIn: 'filter' },
      schema: {
        operationId: 'ignoreVulnerabilityFindings',
        summary: 'Ignore many findings or stop ignoring them, or preview how many would change',
        tags,
        params: WorkspaceParams,
        body: schemas.IgnoreVulnerabilityFindingsCommand,
        response: { 200: schemas.BulkAnswer, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => ignoreFindings(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/vulnerability-findings/bulk-repeat',
    {
      config: { scope: 'Vulnerabilities: write', namesIn: 'filter' },
      schema: {
        operationId: 'repeatVulnerabilityDecisions',
        summary:
          'Decide findings again as they were decided before their package or evidence changed',
        description:
          'Assesses and ignores each selected finding as its `previousDecision` says. Findings without one stay as they are. `acceptance` has the terms of all that are ignored again; without it each keeps its own, and where the workspace demands more than was said then, it is 400.',
        tags,
        params: WorkspaceParams,
        body: schemas.RepeatDecisionsCommand,
        response: { 200: schemas.BulkAnswer, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => repeatDecisions(ctx, { ...params, ...body, actor }),
  )
}

import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { previewDeployment, previewRollback } from './service.ts'
import { readWhatIf } from './what-if-service.ts'

const tags = ['Deployments']
const COHORT = '/deployment-cohorts/:deploymentCohortId/deployments'

export function registerRiskRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/exposure/what-if',
    {
      config: { scope: 'Deployments: read', isExpensive: true },
      schema: {
        operationId: 'readWhatIf',
        summary: 'Tell the exposure of all devices if cohorts ran other versions; deploys nothing',
        tags,
        params: WorkspaceParams,
        querystring: schemas.RiskQuery,
        body: schemas.WhatIfCommand,
        response: { 200: schemas.WhatIfAnswer, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, body, reading }) => readWhatIf(reading, { ...params, ...query, ...body }),
  )

  app.post(
    `${COHORT}/preview`,
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'previewDeployment',
        summary:
          'Preview which findings a deployment would remove and introduce on the devices of a cohort',
        tags,
        params: defineWorkspaceParams('deploymentCohortId'),
        querystring: schemas.RiskQuery,
        body: schemas.PreviewDeploymentCommand,
        response: { 200: schemas.DeploymentPreview, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, body }) => previewDeployment(ctx, { ...params, ...query, ...body }),
  )

  app.get(
    `${COHORT}/:deploymentId/rollback-preview`,
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'previewRollback',
        summary: 'Preview which findings a rollback would introduce and remove',
        tags,
        params: defineWorkspaceParams('deploymentCohortId', 'deploymentId'),
        querystring: schemas.RollbackPreviewQuery,
        response: { 200: schemas.RollbackPreview, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, query }) => previewRollback(ctx, { ...params, ...query }),
  )
}

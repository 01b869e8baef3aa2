import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import { DeploymentFailures } from './schemas.ts'
import { explainFailures } from './service.ts'

export function registerFailureRoutes(app: App): void {
  app.get(
    '/deployment-cohorts/:deploymentCohortId/deployments/:deploymentId/failures',
    {
      config: { isExpensive: true, scope: 'Deployments: read' },
      schema: {
        operationId: 'getDeploymentFailures',
        summary:
          'Get why devices failed, and what sets them apart from those that have the versions',
        description:
          'A trait sets failed devices apart where chance alone would hardly give such a difference (Fisher’s exact test, one-sided, at 1 % over all traits that were compared) and its share among them is at least one and a half times as large.',
        tags: ['Deployments'],
        params: defineWorkspaceParams('deploymentCohortId', 'deploymentId'),
        response: { 200: DeploymentFailures, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => explainFailures(reading, params),
  )
}

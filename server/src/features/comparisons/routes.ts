import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import { DeploymentComparison } from './schemas.ts'
import { showComparison } from './service.ts'

export function registerComparisonRoutes(app: App): void {
  app.get(
    '/deployment-cohorts/:deploymentCohortId/deployments/:deploymentId/comparison',
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'getDeploymentComparison',
        summary: 'Get whether updated devices changed for the worse, compared with those that wait',
        description:
          'Of each phase that asks for it: the state, and for each signal the verdict, both groups, their means around the update, and the devices that changed most. A worker compares every few minutes.',
        tags: ['Deployments'],
        params: defineWorkspaceParams('deploymentCohortId', 'deploymentId'),
        response: { 200: DeploymentComparison, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => showComparison(reading, params),
  )
}

import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { listVersionDeployments, listVersionTakers, listVulnerabilityFixes } from './service.ts'

const tags = ['Deployments']

export function registerTakerRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/vulnerabilities/:cveId/fixes',
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'listVulnerabilityFixes',
        summary: 'List the firmware versions that hold the fix, and the devices that can take them',
        tags,
        params: defineWorkspaceParams('cveId'),
        response: { 200: schemas.VulnerabilityFixes, ...defineProblems(404) },
      },
    },
    ({ params: { workspaceId, cveId: named } }) =>
      listVulnerabilityFixes(ctx, { workspaceId, named }),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/takers',
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'listFirmwareVersionTakers',
        summary: 'Count, by cohort, the devices that run another version of the firmware',
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: schemas.VersionTakers, ...defineProblems(404) },
      },
    },
    ({ params }) => listVersionTakers(ctx, params),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/deployments',
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'listFirmwareVersionDeployments',
        summary: 'List the deployments of a firmware version to all cohorts',
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: schemas.VersionDeployments, ...defineProblems(404) },
      },
    },
    ({ params }) => listVersionDeployments(ctx, params),
  )
}

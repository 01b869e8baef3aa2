import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, WorkspaceParams } from '../../platform/http/schemas.ts'
import { WorkspaceUsage } from './schemas.ts'
import { readUsage, takeRequest } from './service.ts'

/** After the guard: counts the requests of each workspace, and warns it of what is nearly used up. */
function installRequestQuota(app: App, ctx: AppContext): void {
  app.addHook('onRequest', async ({ principal: { workspaceId } }, reply) => {
    const warnings = await takeRequest(ctx, workspaceId)
    if (warnings !== '') void reply.header('plimsoll-quota-warning', warnings)
  })
}

/** Also counts the requests to all routes of the app. */
export function registerQuotaRoutes(app: App, ctx: AppContext): void {
  installRequestQuota(app, ctx)
  app.get(
    '/usage',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'getWorkspaceUsage',
        summary: 'What the workspace uses, and what it may use',
        description:
          'When 80 % of a limit are used, answers have the header Plimsoll-Quota-Warning, such as `devices;used=81;limit=100`.',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        response: { 200: WorkspaceUsage, ...defineProblems(400, 404) },
      },
    },
    async ({ params }) => ({ quotas: await readUsage(ctx, params.workspaceId) }),
  )
}

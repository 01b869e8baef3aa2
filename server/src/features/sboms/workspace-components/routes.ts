import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { problems, WorkspaceParams } from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { listWorkspaceComponents } from './service.ts'

export function workspaceComponentRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/components/list',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'listWorkspaceComponents',
        summary: 'The components of all SBOMs of the workspace by name, a page at a time',
        tags: ['SBOMs'],
        params: WorkspaceParams,
        body: schemas.ListWorkspaceComponentsCommand,
        response: { 200: schemas.WorkspaceComponentPage, ...problems(400, 404) },
      },
    },
    ({ params, body }) => listWorkspaceComponents(ctx, { ...params, ...body }),
  )
}
